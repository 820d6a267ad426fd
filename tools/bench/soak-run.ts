import { statSync } from 'node:fs'
import { scheme } from '../../generated/scheme.ts'
import { type RunningApiServer, startApiServer } from '../../runtime/apiserver/apiserver.ts'
import { type Clock, systemClock } from '../../runtime/kernel/async/clock.ts'
import { silentLog } from '../../runtime/observe/observe.ts'
import { virtualClock } from '../../runtime/testing/testing.ts'

/** How long a server over a file is written to, and how often. */
export interface SoakOptions {
  readonly file: string
  readonly seconds: number
  readonly writesPerSecond: number
  /** By the clock of the machine. By default by a virtual one, which moves on as fast as the writes are done. */
  readonly realTime?: boolean
  /** Hears after each minute how the file stands. */
  readonly onMinute?: (sample: SoakSample) => void
}

/** How a file stands after so many seconds of writes. */
export interface SoakSample {
  readonly seconds: number
  readonly writes: number
  /** Its size in bytes. */
  readonly bytes: number
  /** The size of the write-ahead log beside it. */
  readonly logBytes: number
  /** What the server keeps: its objects, and the changes of five minutes. */
  readonly keptBytes: number
}

/** What became of the file. */
export interface Soaked {
  /** Its size in bytes at the end. */
  readonly bytes: number
  /** The largest size of the write-ahead log. */
  readonly largestLogBytes: number
  /** Its largest size, in shares of what the server kept at that moment. */
  readonly largestShare: number
}

/** How many objects there are at any time, and how long the text in each is. */
const [objects, textBytes] = [1000, 4000]

/** Seconds of changes that a server keeps for watches to go on from. */
const historySeconds = 300

/** Writes under way at once. A virtual clock moves on when they are done, that of the machine is waited for. */
const writesAtOnce = { virtual: 100, real: 10 }

/** Of so many writes one takes an object away and makes another; the others are updates. */
const writesPerReplacement = 10

/** Writes to a server on a file for so long, and looks at the file all the while. */
export async function soak(options: SoakOptions): Promise<Soaked> {
  const virtual = options.realTime ? undefined : virtualClock()
  const clock = virtual ?? systemClock
  const server = await startApiServer({
    scheme,
    storage: { kind: 'sqlite', file: options.file },
    clock,
    log: silentLog,
  })
  try {
    const began = clock.monotonic()
    const reach = (ms: number) =>
      virtual?.advance(began + ms - clock.monotonic()) ?? waitUntil(clock, began + ms)
    return await write(server, reach, options)
  } finally {
    await server.stop()
  }
}

/** Settles when the clock has reached a moment. */
function waitUntil(clock: Clock, moment: number): Promise<void> {
  return new Promise((resolve) => clock.after(Math.max(0, moment - clock.monotonic()), resolve))
}

/** Writes for so long; `reach` settles so many milliseconds after the beginning. */
async function write(
  server: RunningApiServer,
  reach: (ms: number) => Promise<void> | void,
  { file, seconds, writesPerSecond, realTime = false, onMinute = () => {} }: SoakOptions,
): Promise<Soaked> {
  const { each, one } = await writerOf(server)
  const atOnce = realTime ? writesAtOnce.real : writesAtOnce.virtual
  let [largestShare, largestLogBytes, minutes] = [0, 0, 0]
  for (let writes = atOnce; writes <= seconds * writesPerSecond; writes += atOnce) {
    await Promise.all(Array.from({ length: atOnce }, (_, at) => one(writes - atOnce + at)))
    await reach((writes * 1000) / writesPerSecond)
    const keptBytes = each * (objects + Math.min(writes, historySeconds * writesPerSecond))
    const [bytes, logBytes] = [sizeOf(file), sizeOf(`${file}-wal`)]
    largestShare = Math.max(largestShare, bytes / keptBytes)
    largestLogBytes = Math.max(largestLogBytes, logBytes)
    const elapsed = writes / writesPerSecond
    if (elapsed < (minutes + 1) * 60) continue
    minutes = Math.floor(elapsed / 60)
    onMinute({ seconds: elapsed, writes, bytes, logBytes, keptBytes })
  }
  return { bytes: sizeOf(file), largestLogBytes, largestShare }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

/** Makes the objects; gives the size of each, and what does one of the writes. */
async function writerOf(
  server: RunningApiServer,
): Promise<{ readonly each: number; readonly one: (count: number) => Promise<void> }> {
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
  return { each, one }
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
