import { statSync } from 'node:fs'
import { scheme } from '../../generated/scheme.ts'
import { type RunningApiServer, startApiServer } from '../../runtime/apiserver/apiserver.ts'
import { silentLog } from '../../runtime/observe/observe.ts'
import { type VirtualClock, virtualClock } from '../../runtime/testing/testing.ts'

/** How long a server over a file is written to, in virtual time, and how often. */
export interface SoakOptions {
  readonly file: string
  readonly seconds: number
  readonly writesPerSecond: number
}

/** What became of the file. */
export interface Soaked {
  /** Its size in bytes at the end. */
  readonly bytes: number
  /** Its largest size, in shares of what the server kept at that moment: its objects, and the changes of five minutes. */
  readonly largestShare: number
}

/** How many objects there are at any time, and how long the text in each is. */
const [objects, textBytes] = [1000, 4000]

/** Seconds of changes that a server keeps for watches to go on from. */
const historySeconds = 300

/** Writes under way at once. Time moves on when they are done. */
const writesAtOnce = 100

/** Of so many writes one takes an object away and makes another; the others are updates. */
const writesPerReplacement = 10

/** Writes to a server on a file for so long. Time passes as fast as the writes are done. */
export async function soak(options: SoakOptions): Promise<Soaked> {
  const clock = virtualClock()
  const server = await startApiServer({
    scheme,
    storage: { kind: 'sqlite', file: options.file },
    clock,
    log: silentLog,
  })
  try {
    const largestShare = await write(server, clock, options)
    return { bytes: statSync(options.file).size, largestShare }
  } finally {
    await server.stop()
  }
}

/** Writes for so long; gives the largest size of the file, in shares of what was kept. */
async function write(
  server: RunningApiServer,
  clock: VirtualClock,
  { file, seconds, writesPerSecond }: SoakOptions,
): Promise<number> {
  const names = Array.from({ length: objects }, (_, at) => `m${at}`)
  await Promise.all(names.map((name) => put(server, 'POST', name, 'first')))
  const each = await put(server, 'PUT', names[0] ?? '', 'x')
  const one = async (count: number): Promise<void> => {
    const at = count % objects
    const name = names[at] ?? ''
    if (count % writesPerReplacement > 0) return void (await put(server, 'PUT', name, `${count}`))
    const next = `n${count}`
    names[at] = next
    await send(server, { method: 'DELETE', path: `${maps}/${name}` })
    await put(server, 'POST', next, `${count}`)
  }
  let largestShare = 0
  for (let count = 0; count < seconds * writesPerSecond; count += writesAtOnce) {
    await Promise.all(Array.from({ length: writesAtOnce }, (_, at) => one(count + at)))
    clock.advance((writesAtOnce * 1000) / writesPerSecond)
    const history = Math.min(count + writesAtOnce, historySeconds * writesPerSecond)
    largestShare = Math.max(largestShare, statSync(file).size / (each * (objects + history)))
  }
  return largestShare
}

const maps = '/api/v1/namespaces/default/configmaps'

/** Writes an object; gives the size of the answer, which is what is stored. */
function put(
  server: RunningApiServer,
  method: string,
  name: string,
  text: string,
): Promise<number> {
  const body = JSON.stringify({ metadata: { name }, data: { text: text.padEnd(textBytes) } })
  const path = method === 'POST' ? maps : `${maps}/${name}`
  return send(server, { method, path, body })
}

async function send(
  server: RunningApiServer,
  request: { readonly method: string; readonly path: string; readonly body?: string },
): Promise<number> {
  const { status, body } = await server.dispatch({ ...request, headers: {} })
  let bytes = 0
  for await (const chunk of body) bytes += chunk.byteLength
  if (status >= 300) throw new Error(`${request.method} ${request.path}: ${status}`)
  return bytes
}
