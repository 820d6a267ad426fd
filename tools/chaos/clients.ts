/** Clients of a run: each remembers what it was told. */
import { createClient, httpTransport } from '../../runtime/client/client.ts'
import { createLeaderElection } from '../../runtime/election/election.ts'
import { pause, systemClock } from '../../runtime/kernel/async/clock.ts'
import type { ApiServerProcess } from './api-server.ts'
import type { Leadership, ListedKeys, LogRow, Operation, WatchSegment } from './history.ts'

/** How long a client waits for an answer. */
const patienceMs = 8000

/** The collections of a run. */
const maps = '/api/v1/namespaces/default/configmaps'
const services = '/api/v1/namespaces/default/services'

/** How many config maps are written again and again. */
const keys = 8

/** What the clients of a run have seen so far. */
export class Witness {
  readonly operations: Operation[] = []
  readonly lists: ListedKeys[] = []
  readonly segments: WatchSegment[] = []
  readonly terms: Leadership[] = []
  /** How many requests failed in a way that a client may see. */
  failures = 0
  /** How many watches were told that history is gone. */
  expired = 0
}

interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely
  readonly body: any
}

/** Undefined where there was no answer. */
async function ask(url: string, method: string, body?: object): Promise<Answer | undefined> {
  try {
    const response = await fetch(url, {
      method,
      signal: AbortSignal.timeout(patienceMs),
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    return { status: response.status, body: await response.json() }
  } catch {
    return undefined
  }
}

/** Reads and writes config maps through whichever server, until the end. */
export async function readAndWrite(
  name: string,
  servers: readonly ApiServerProcess[],
  witness: Witness,
  signal: AbortSignal,
): Promise<void> {
  const pick = (): ApiServerProcess =>
    servers[Math.floor(Math.random() * servers.length)] as ApiServerProcess
  for (let count = 0; !signal.aborted; count++) {
    const key = `chaos-${Math.floor(Math.random() * keys)}`
    const began = performance.now()
    const read = await ask(`${pick().url}${maps}/${key}`, 'GET')
    const ended = performance.now()
    if (read?.status !== 200 && read?.status !== 404) {
      witness.failures++
      await pause(systemClock, 20)
      continue
    }
    const { metadata, data } = read.body
    if (read.status === 200) {
      const revision = Number(metadata.resourceVersion)
      witness.operations.push({ key, kind: 'read', began, ended, value: data.v, revision })
    }
    const value = `${name}-${count}`
    const version = read.status === 200 ? { resourceVersion: metadata.resourceVersion } : {}
    const body = { metadata: { name: key, ...version }, data: { v: value } }
    const path = read.status === 200 ? `${maps}/${key}` : maps
    const start = performance.now()
    const wrote = await ask(`${pick().url}${path}`, read.status === 200 ? 'PUT' : 'POST', body)
    const end = performance.now()
    const landed = wrote !== undefined && wrote.status < 300
    const refused = wrote?.status === 409 || wrote?.status === 503
    if (!landed && wrote?.status !== 409) witness.failures++
    if (refused) continue
    const revision = landed ? Number(wrote.body.metadata.resourceVersion) : undefined
    witness.operations.push({ key, kind: 'write', began: start, ended: end, value, revision })
  }
}

/** Lists the config maps of a run through whichever server, until the end. What a list has is read, too. */
export async function listAll(
  servers: readonly ApiServerProcess[],
  { lists, operations }: Witness,
  signal: AbortSignal,
): Promise<void> {
  for (let count = 0; !signal.aborted; count++) {
    const { url } = servers[count % servers.length] as ApiServerProcess
    const began = performance.now()
    const answer = await ask(`${url}${maps}`, 'GET')
    const ended = performance.now()
    if (answer?.status === 200) {
      const { metadata, items } = answer.body
      const rows: readonly LogRow[] = items.filter(isOfRun).map(rowOf)
      lists.push({ revision: Number(metadata.resourceVersion), items: rows })
      for (const row of rows) operations.push({ kind: 'read', began, ended, ...row })
    }
    await pause(systemClock, 50)
  }
}

interface ListedMap {
  readonly metadata: { readonly name: string; readonly resourceVersion: string }
  readonly data: { readonly v: string }
}

const isOfRun = ({ metadata }: ListedMap): boolean => metadata.name.startsWith('chaos-')

const rowOf = ({ metadata, data }: ListedMap): LogRow => ({
  revision: Number(metadata.resourceVersion),
  key: metadata.name,
  value: data.v,
})

/** Makes services through whichever server, until the end or until there are enough. */
export async function makeServices(
  name: string,
  servers: readonly ApiServerProcess[],
  most: number,
  signal: AbortSignal,
): Promise<void> {
  for (let count = 0; count < most && !signal.aborted; count++) {
    const { url } = servers[count % servers.length] as ApiServerProcess
    const spec = { type: 'NodePort', ports: [{ port: 80 }] }
    await ask(`${url}${services}`, 'POST', { metadata: { name: `${name}-${count}` }, spec })
    await pause(systemClock, 50)
  }
}

/** The addresses and ports of all services. */
export async function servicesOf({ url }: ApiServerProcess): Promise<{
  readonly addresses: readonly string[]
  readonly ports: readonly string[]
}> {
  const answer = await ask(`${url}${services}`, 'GET')
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely
  const specs: any[] = answer?.body.items.map(({ spec }: any) => spec) ?? []
  return {
    addresses: specs.map(({ clusterIP }) => clusterIP),
    ports: specs
      .flatMap(({ ports }) => ports.map(({ nodePort }: never) => nodePort))
      .filter(Boolean),
  }
}

/** Follows the config maps of a run at one server, until the end: from where it was, or, where history is gone, from a new list. */
export async function follow(
  { url, name }: ApiServerProcess,
  witness: Witness,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const list = await ask(`${url}${maps}?limit=1`, 'GET')
    if (list?.status !== 200) {
      await pause(systemClock, 100)
      continue
    }
    const after = Number(list.body.metadata.resourceVersion)
    const events: LogRow[] = []
    witness.segments.push({ server: name, after, events })
    let last = after
    let isGone = false
    while (!signal.aborted && !isGone) {
      const query = `?watch=true&resourceVersion=${last}&timeoutSeconds=20`
      try {
        const response = await fetch(`${url}${maps}${query}`, { signal })
        for await (const line of linesOf(response)) {
          const { type, object, code } = JSON.parse(line)
          isGone = code === 410 || (type === 'ERROR' && object.code === 410)
          if (isGone) break
          const revision = Number(object?.metadata?.resourceVersion)
          if (!Number.isFinite(revision) || type === 'ERROR') break
          last = revision
          if (isOfRun(object)) events.push(rowOf(object))
        }
      } catch {
        await pause(systemClock, 50)
      }
    }
    if (isGone) witness.expired++
  }
}

async function* linesOf(response: Response): AsyncGenerator<string> {
  let rest = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines.filter((line) => line !== '')
  }
  if (rest !== '') yield rest
}

/** Seeks a lease at one server, with a clock that is off, and leads for a while whenever it has it. The others have a chance then. */
export async function seekLease(
  { url, name }: ApiServerProcess,
  clockOffsetMs: number,
  witness: Witness,
  signal: AbortSignal,
): Promise<void> {
  const clock = { ...systemClock, now: () => systemClock.now() + clockOffsetMs }
  const client = createClient(httpTransport({ server: url }), { clock })
  const timing = { leaseMs: 3000, renewDeadlineMs: 2000, retryMs: 300 }
  const election = createLeaderElection({
    client,
    clock,
    name: 'chaos',
    namespace: 'default',
    identity: name,
    ...timing,
  })
  while (!signal.aborted) {
    await election.run(signal, async (term) => {
      const began = performance.now()
      while (!signal.aborted && !term.lost.aborted && performance.now() - began < 4000) {
        await pause(systemClock, 10)
      }
      witness.terms.push({ who: name, began, ended: performance.now() })
    })
    await pause(systemClock, timing.retryMs * 2)
  }
}
