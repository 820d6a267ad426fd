/** The owner's end: a store that other processes of the same server read and write. */
import type { Duplex } from 'node:stream'
import type { Entry, ListOptions, StoreEvent } from '../contract.ts'
import type { Change, LogStore, Write } from '../log-store.ts'
import { Channel } from './channel.ts'
import { type Calls, type Reply, type Request, sentError } from './messages.ts'

/** Bytes of values that go in one message: others do not wait for longer. */
const pieceBytes = 512 * 1024

/** Answers what comes over a socket until its other end is gone. */
export function serveStore(store: LogStore, socket: Duplex): void {
  const streams = new Map<number, AbortController>()
  const channel: Channel<Reply, Request> = new Channel(socket, {
    heard: (request) => {
      if ('cancel' in request) streams.get(request.id)?.abort()
      else void answer(request)
    },
    ended: () => {
      for (const stream of streams.values()) stream.abort()
    },
  })
  let told = store.compactedRevision()
  const send = (reply: Reply): void => {
    const compacted = store.compactedRevision()
    if (compacted !== told) channel.send({ compacted })
    told = compacted
    channel.send(reply)
  }
  const answer = async ({ id, name, args }: Exclude<Request, { cancel: true }>): Promise<void> => {
    const until = new AbortController()
    streams.set(id, until)
    const give = async (item: unknown): Promise<void> => {
      send({ id, item })
      await channel.drained()
    }
    try {
      const call = calls[name] as AnyAnswer
      send({ id, result: await call(store, args, give, until.signal) })
    } catch (error) {
      send({ id, error: sentError(error) })
    } finally {
      streams.delete(id)
    }
  }
  send({ store: store.id, compacted: told })
}

/** Answers a call; what it gives piece by piece waits until there is room for more. */
type Answer<C extends { readonly args: readonly unknown[]; item: unknown; result: unknown }> = (
  store: LogStore,
  args: C['args'],
  give: (item: C['item']) => Promise<void>,
  signal: AbortSignal,
) => Promise<C['result']>

type AnyAnswer = Answer<{ args: readonly unknown[]; item: unknown; result: unknown }>

const calls: { readonly [K in keyof Calls]: Answer<Calls[K]> } = {
  get: (store, [key]) => store.get(key),
  list: (store, [prefix, options], give) => list(store, prefix, options, give),
  append: (store, [write]) => append(store, write),
  delete: (store, [key, expected]) => store.delete(key, expected),
  watch: async (store, [prefix, after], give, signal) => {
    for await (const events of store.watch(prefix, after, signal)) {
      for (const piece of pieces(events, bytesOfEvent)) await give(piece)
    }
  },
  changes: async (store, [after], give, signal) => {
    for await (const changes of store.changes(after, signal)) {
      for (const piece of pieces(changes, bytesOf)) await give(piece)
    }
  },
  replaced: async (store, [revisions], give, signal) => {
    const entries = await store.replaced(revisions, signal)
    for (const piece of pieces([...entries.values()], bytesOf)) await give(piece)
  },
  revision: (store) => store.revision(),
  compact: (store, [revision]) => store.compact(revision),
  check: (store) => store.check(),
}

async function list(
  store: LogStore,
  prefix: string,
  options: ListOptions,
  give: (entries: readonly Entry[]) => Promise<void>,
): Promise<Calls['list']['result']> {
  const { entries, revision, remaining } = await store.list(prefix, options)
  for (const piece of pieces(entries, bytesOf)) await give(piece)
  return { revision, remaining }
}

async function append(store: LogStore, write: Write): Promise<Calls['append']['result']> {
  const { revision, previousRevision, createRevision } = await store.append(write)
  return { revision, previousRevision, createRevision }
}

function bytesOf({ value }: Pick<Change, 'value'>): number {
  return value?.byteLength ?? 0
}

function bytesOfEvent({ entry, previous }: StoreEvent): number {
  return (entry?.value.byteLength ?? 0) + (previous?.value.byteLength ?? 0)
}

/** The same in pieces of about `pieceBytes`. */
function* pieces<T>(all: readonly T[], bytes: (one: T) => number): Generator<readonly T[], void> {
  let piece: T[] = []
  let weight = 0
  for (const one of all) {
    piece.push(one)
    weight += bytes(one)
    if (weight < pieceBytes) continue
    yield piece
    piece = []
    weight = 0
  }
  if (piece.length > 0) yield piece
}
