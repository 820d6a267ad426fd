/**
 * Measures an agent, a process of its own as users start it, and prints the figures as a line of JSON. The server is in this process. The runtime
 * is the one behind CONTAINER_RUNTIME_SOCKET, or the embedded one.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Pod, pods } from '../../generated/apis/core/v1/pod.ts'
import {
  type ContainerRuntime,
  createCriRuntime,
  createEmbeddedRuntime,
  probeLevel,
} from '../../runtime/container-runtime/container-runtime.ts'
import { systemClock } from '../../runtime/kernel/async/clock.ts'
import type { Stored } from '../../runtime/kernel/meta/object.ts'
import { startControlPlane } from '../../runtime/testing/testing.ts'
import { findOnPath } from '../find-on-path.ts'
import { residentMegabytes } from './servers.ts'

/** The middle and the end of some measurements, in milliseconds. */
export interface Spread {
  readonly p50: number
  readonly p95: number
}

/** What is measured. */
export interface AgentFigures {
  /** From the call that creates a pod to the event that says that it runs. */
  readonly start: Spread
  /** The three calls of the runtime that this takes, made alone. */
  readonly runtimeMs: number
  /** From the end of a container to the event that says that it runs again. */
  readonly restart: Spread
  /** From writing a line to its arrival; undefined where there is no kubectl. */
  readonly line: Spread | undefined
  readonly pods: number
  readonly idlePercent: number
  /** Of a runtime in processes of its own, shims included. */
  readonly runtimePercent: number
  readonly megabytes: number
  /** From the start of another agent until it works with the pods of the one that was killed. */
  readonly adoptionMs: number
  readonly restarted: number
}

const startCount = 20
const restartCount = 5
const lineCount = 40
const podCount = 110
/** How long nothing happens before processor time is measured, and for how long it is. */
const calmMs = 3_000
const idleMs = 20_000
/** The unit of processor time in `/proc`, the same on every Linux. */
const ticksPerSecond = 100
const program = fileURLToPath(new URL('../../packed/orchlet.js', import.meta.url))
const socket = process.env.CONTAINER_RUNTIME_SOCKET
const endpoint = socket === undefined ? 'embedded' : `unix://${socket}`
const folder = mkdtempSync(join(tmpdir(), 'bench-agent-'))
const orchconfig = join(folder, 'orchconfig')
/** The server reaches the port of the agent by this name. */
const nodeName = 'localhost'
/** Programs of containers are found by it among all that runs. */
const firstNumber = 100_000

const plane = await startControlPlane({ socket: true, controllers: [] })
writeFileSync(orchconfig, plane.orchconfig ?? '')
const own = plane.client.resource(pods).in('default')
const known = new Map<string, Stored<Pod>>()
const waiting = new Set<() => void>()
const end = new AbortController()
const following = follow()
let agent = await startAgent()

const start = await measureStarts()
const runtimeMs = await measureRuntime()
const restart = await measureRestarts()
const line = await measureLines()
for (let at = known.size; at < podCount; at++) await create(nameOf(at), at)
await until(() => [...known.values()].filter(isRunning).length >= podCount)
await setTimeout(calmMs)
const runtimePids = pidsOf(/^containerd/)
const before = [processorSeconds([pidOf(agent)]), processorSeconds(runtimePids)] as const
await setTimeout(idleMs)
const percent = (pids: readonly number[], since: number) =>
  (100_000 * (processorSeconds(pids) - since)) / idleMs
const idlePercent = percent([pidOf(agent)], before[0])
const runtimePercent = percent(runtimePids, before[1])
const megabytes = residentMegabytes(pidOf(agent))
const containers = containerIds()
agent.kill('SIGKILL')
await once(agent, 'exit')
const killedAt = performance.now()
agent = await startAgent()
const adoptionMs = performance.now() - killedAt
await setTimeout(calmMs)
const after = containerIds()
const restarted = [...containers].filter(([name, id]) => after.get(name) !== id).length
await removeAll()
agent.kill()
await once(agent, 'exit')
end.abort()
await following
await plane.stop()
rmSync(folder, { recursive: true, force: true })
const figures: AgentFigures = {
  ...{ start, runtimeMs, restart, line, pods: podCount },
  ...{ idlePercent, runtimePercent, megabytes, adoptionMs, restarted },
}
console.log(JSON.stringify(figures))

async function startAgent(): Promise<ChildProcess> {
  const child = spawn(
    process.execPath,
    [
      ...[program, `--orchconfig=${orchconfig}`, `--root-dir=${join(folder, 'agent')}`],
      ...[
        `--hostname-override=${nodeName}`,
        '--healthz-port=0',
        '--fail-swap-on=false',
        '--port=0',
      ],
      ...['--address=127.0.0.1', `--container-runtime-endpoint=${endpoint}`],
      ...['--anonymous-auth=true', '--authorization-mode=AlwaysAllow', '--max-pods=200'],
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  for await (const said of createInterface({ input: child.stdout })) {
    if (said.startsWith('ready')) return child
  }
  throw new Error('the agent ended before it was ready')
}

/** Keeps what is known of pods up to date. */
async function follow(): Promise<void> {
  try {
    for await (const { type, object } of plane.client.resource(pods).watch({}, end.signal)) {
      if (type === 'DELETED') known.delete(object.metadata.name)
      else known.set(object.metadata.name, object)
      for (const look of waiting) look()
    }
  } catch (error) {
    if (!end.signal.aborted) throw error
  }
}

/** Resolves as soon as an event makes it so. */
function until(isSo: () => unknown): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (!isSo()) return
      waiting.delete(look)
      resolve()
    }
    waiting.add(look)
    look()
  })
}

function nameOf(at: number): string {
  return `p-${at}`
}

function create(name: string, at: number, script = `exec sleep ${firstNumber + at}`) {
  const container = { name: 'main', image: 'host/sh', args: ['-c', script] }
  return own.create({
    metadata: { name },
    spec: {
      ...{ nodeName, hostNetwork: true, terminationGracePeriodSeconds: 1 },
      containers: [{ ...container, imagePullPolicy: 'IfNotPresent' }],
    },
  })
}

function isRunning({ status }: Stored<Pod>): boolean {
  return status?.phase === 'Running' && status.containerStatuses?.[0]?.state?.running !== undefined
}

async function measureStarts(): Promise<Spread> {
  const times: number[] = []
  for (let at = 0; at < startCount; at++) {
    const began = performance.now()
    await create(nameOf(at), at)
    await until(() => known.get(nameOf(at))?.status?.phase === 'Running')
    times.push(performance.now() - began)
  }
  return spreadOf(times)
}

/** The same sandboxes and containers, without an agent. */
async function measureRuntime(): Promise<number> {
  const runtime: ContainerRuntime =
    socket === undefined
      ? createEmbeddedRuntime({
          ...{ folder: join(folder, 'alone'), level: probeLevel().level, version: '1' },
          clock: systemClock,
        })
      : await createCriRuntime({ endpoint, clock: systemClock })
  const times: number[] = []
  for (let at = 0; at < startCount; at++) {
    const named = { name: `alone-${at}`, namespace: 'default', uid: `alone-${at}`, attempt: 0 }
    const config = {
      ...{ ...named, hostname: 'alone', logDirectory: join(folder, 'alone-logs', String(at)) },
      ...{ labels: {}, annotations: {}, hostNetwork: true },
    }
    const began = performance.now()
    const sandbox = await runtime.runPodSandbox(config)
    const id = await runtime.createContainer(sandbox, {
      ...{ name: 'main', attempt: 0, image: 'host/sh', command: [], args: ['-c', 'exec sleep 9'] },
      ...{ workingDirectory: '', environment: [], mounts: [], labels: {}, annotations: {} },
      ...{ logPath: 'main.log', readonlyRoot: false, user: {}, tty: false, stdin: 'none' },
    })
    await runtime.startContainer(id)
    times.push(performance.now() - began)
    await runtime.removePodSandbox(sandbox)
  }
  await runtime.close()
  return spreadOf(times).p50
}

/** The first end of a container, which has no back-off. */
async function measureRestarts(): Promise<Spread> {
  const times: number[] = []
  for (let at = 0; at < restartCount; at++) {
    const pid = pidsOf(new RegExp(`^\\S*sleep ${firstNumber + at}$`))[0]
    if (pid === undefined) throw new Error(`no program of ${nameOf(at)}`)
    const runsAgain = () => {
      const pod = known.get(nameOf(at))
      return pod && isRunning(pod) && (pod.status?.containerStatuses?.[0]?.restartCount ?? 0) > 0
    }
    const began = performance.now()
    process.kill(pid, 'SIGKILL')
    await until(runsAgain)
    times.push(performance.now() - began)
  }
  return spreadOf(times)
}

/** Programs write how long the machine is up, which has hundredths of a second; it is read again when that arrives. */
async function measureLines(): Promise<Spread | undefined> {
  const kubectl = findOnPath('kubectl')
  if (kubectl === undefined) return undefined
  const script = 'while :; do read -r up rest < /proc/uptime; echo "up $up"; sleep 0.13; done'
  await create('lines', 0, script)
  await until(() => known.get('lines')?.status?.phase === 'Running')
  const child = spawn(kubectl, ['logs', '-f', 'lines', '--tail=1', '--cache-dir', folder], {
    env: { ...process.env, KUBECONFIG: orchconfig },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const times: number[] = []
  for await (const said of createInterface({ input: child.stdout })) {
    const [, up] = said.split(' ')
    times.push(1000 * (Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) - Number(up)))
    // The first lines were there before.
    if (times.length > lineCount) break
  }
  child.kill()
  await own.delete('lines', { gracePeriodSeconds: 1 })
  await until(() => !known.has('lines'))
  return times.length > 2 ? spreadOf(times.slice(2)) : undefined
}

async function removeAll(): Promise<void> {
  for (const name of [...known.keys()]) await own.delete(name, { gracePeriodSeconds: 1 })
  await until(() => known.size === 0)
}

function containerIds(): ReadonlyMap<string, string> {
  return new Map(
    [...known].map(([name, { status }]) => [
      name,
      status?.containerStatuses?.[0]?.containerID ?? '',
    ]),
  )
}

function spreadOf(times: readonly number[]): Spread {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN
  return { p50: at(0.5), p95: at(0.95) }
}

function pidOf(child: ChildProcess): number {
  return child.pid ?? 0
}

/** Processes whose words, with spaces between them, look so. */
function pidsOf(pattern: RegExp): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pattern.test(wordsOf(pid)))
}

function wordsOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replace(/\0/g, ' ').trim()
  } catch {
    return ''
  }
}

function processorSeconds(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + ticksOf(pid), 0) / ticksPerSecond
}

function ticksOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return Number(fields[11]) + Number(fields[12])
  } catch {
    return 0
  }
}
