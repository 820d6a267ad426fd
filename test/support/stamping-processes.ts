/** Real processes that stamp config maps on one server under load, are killed and stopped, and what of them reaches the server. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ConfigMap, configMaps } from 'orch/generated/apis/core/v1/config-map'
import { type ControlPlane, startControlPlane } from 'orch/testing'
import { hangSignal } from './deadline.ts'

/** A write of one of the processes, as the server's watch told of it. */
export interface Stamp {
  /** The object. */
  readonly name: string
  /** The process. */
  readonly by: string
  readonly token: number
}

/** Which program stamps, and what it is asked for. */
export interface StampingOptions {
  /** The program: it is given an orchconfig file and a name. */
  readonly main: string
  /** The key under which it writes its name. */
  readonly field: string
  /** How many objects are asked for in turn. */
  readonly objects: number
  /** Waits between two requests. */
  readonly pause: () => Promise<unknown>
}

/** A server under load, and processes that come and go. */
export interface StampingProcesses {
  readonly plane: ControlPlane
  readonly start: (name: string) => ChildProcess
  /** Every stamp so far, in the order of their revisions. */
  readonly stamps: readonly Stamp[]
  readonly end: () => Promise<void>
}

export async function startStamping(options: StampingOptions): Promise<StampingProcesses> {
  const plane = await startControlPlane({ socket: true })
  const folder = await mkdtemp(join(tmpdir(), 'stamping-'))
  const orchconfig = join(folder, 'orchconfig')
  await writeFile(orchconfig, plane.orchconfig ?? '')
  const children: ChildProcess[] = []
  const stop = new AbortController()
  const stamps: Stamp[] = []
  const watching = collect(plane, options, stamps, stop.signal)
  const loading = load(plane, options, stop.signal)
  return {
    plane,
    stamps,
    start(name) {
      const args = [options.main, orchconfig, name]
      const child = spawn(process.execPath, args, { stdio: 'ignore' })
      children.push(child)
      return child
    },
    async end() {
      for (const child of children) child.kill('SIGKILL')
      await Promise.all(children.map(exit))
      stop.abort()
      await Promise.all([watching, loading])
      await plane.stop()
      await rm(folder, { recursive: true })
    },
  }
}

/** Asks for stamps without end. */
async function load(
  { client }: ControlPlane,
  { objects, pause }: StampingOptions,
  signal: AbortSignal,
): Promise<void> {
  const maps = client.resource(configMaps)
  for (let round = 0; !signal.aborted; round++) {
    await maps.apply({ metadata: { name: `m${round % objects}` }, data: { wanted: String(round) } })
    await pause()
  }
}

async function collect(
  { client }: ControlPlane,
  { field }: StampingOptions,
  stamps: Stamp[],
  signal: AbortSignal,
): Promise<void> {
  const seen = new Map<string, string | undefined>()
  for await (const { object } of client.resource(configMaps).in('default').watch({}, signal)) {
    const { data = {}, metadata } = object as ConfigMap & { metadata: { name: string } }
    const [by, stamp] = [data[field], data.seen]
    if (stamp === seen.get(metadata.name) || by === undefined) continue
    seen.set(metadata.name, stamp)
    stamps.push({ name: metadata.name, by, token: Number(data.token) })
  }
}

async function exit(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  await once(child, 'exit', { signal: hangSignal() })
}
