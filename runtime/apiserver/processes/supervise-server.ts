import { generateKeyPairSync } from 'node:crypto'
import { superviseGroup } from '../../processes/processes.ts'
import { HeadFile, isSharedStore, type LogStore, serveStore } from '../../store/store.ts'
import type { ApiServerOptions } from '../options.ts'
import { openDatabase } from '../storage/open-storage.ts'
import type { ProcessFacts } from './group-options.ts'

/** A server of several processes. */
export interface SupervisedServer {
  readonly options: ApiServerOptions
  readonly count: number
  /** Hears once all processes serve, with what each says of it, in the order of their numbers. */
  readonly ready: (told: readonly unknown[]) => void
}

/**
 * Starts the program that runs now several times, as one server behind one port, and keeps it running until the signal aborts. Where one
 * process owns the store, that is this one, which does nothing else. Resolves to the exit code.
 *
 * @throws Error if the store cannot be opened, or cannot go on.
 */
export async function superviseServer(
  server: SupervisedServer,
  signal: AbortSignal,
): Promise<number> {
  const head = new HeadFile()
  const stop = new AbortController()
  try {
    const store = await ownStore(server.options, head)
    try {
      const group = runGroup(server, { store, head }, AbortSignal.any([signal, stop.signal]))
      const running = store?.run(stop.signal) ?? Promise.resolve()
      // Ends early only where the store fails, and the processes with it.
      const failed = running.catch(async (error: unknown) => {
        stop.abort()
        await group
        throw error
      })
      const code = await group
      stop.abort()
      await failed
      return code
    } finally {
      await store?.close()
    }
  } finally {
    head.close()
  }
}

/** The store of which this process is the owner; undefined where each process opens the database by itself. */
async function ownStore(options: ApiServerOptions, head: HeadFile): Promise<LogStore | undefined> {
  if (isSharedStore(options.storage)) return undefined
  const store = await openDatabase(options, { onCommit: (revision) => head.note(revision) })
  head.note(await store.revision())
  return store
}

function runGroup(
  { options: { clock, log }, count, ready }: SupervisedServer,
  { store, head }: { readonly store: LogStore | undefined; readonly head: HeadFile },
  signal: AbortSignal,
): Promise<number> {
  const facts: ProcessFacts = { tokenKey: newTokenKey() }
  const started = (socket: Parameters<typeof serveStore>[1]): void => {
    if (store !== undefined) serveStore(store, socket)
  }
  return superviseGroup({ count, clock, log, facts, file: head.descriptor, started, ready }, signal)
}

function newTokenKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}
