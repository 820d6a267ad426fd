/**
 * What a cluster costs whose nodes are simulated: the server, the controller manager and the scheduler, each a process of its own
 * that may send as many requests as it likes.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { get } from 'node:https'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { deployments } from '../../generated/apis/apps/v1/deployment.ts'
import { pods } from '../../generated/apis/core/v1/pod.ts'
import { platform } from '../../generated/platform.ts'
import { type Client, orchconfigText } from '../../runtime/client/client.ts'
import { connect } from '../../runtime/connection/connection.ts'
import { systemClock } from '../../runtime/kernel/async/clock.ts'
import { silentLog } from '../../runtime/observe/observe.ts'
import { createSimulatedNodes } from '../../runtime/simulated-nodes/simulated-nodes.ts'
import { withBareRenewals } from './renewals.ts'
import type { Limit, Report } from './report.ts'
import { median, residentMegabytes, type ServerProcess, startServer } from './servers.ts'

const namespace = 'default'
/** How often is looked whether something has come. */
const lookMs = 100
/** How long nothing happens before processor time is measured, so that what the start left is collected, and for how long it is. */
const calmMs = 60_000
const idleMs = 30_000
/** How often is rolled out on a virtual clock, of which the median counts. */
const virtualRounds = 5
const rollOutControllers = ['deployment-controller', 'replicaset-controller'] as const
/** The unit of processor time in `/proc`, the same on every Linux. */
const ticksPerSecond = 100

/** Rollouts, what they do to queues and memory, and what a cluster costs in which nothing happens. */
export async function bench(report: Report): Promise<void> {
  const ms = await virtualRollOut()
  report('100 pods on 10 nodes, rolled out on a virtual clock', ms, 'ms', undefined, {
    atMost: 1000,
  })
  const [ten, hundred] = [await bareIdle(10), await bareIdle(100)]
  await inCluster(10, async (cluster) => {
    const idle = await idlePercent(processesOf(cluster))
    report('10 nodes without pods: of a core', idle, '%', ten, { atMost: 1 })
    const seconds = await rollOut(cluster.client, 1, 100)
    report('100 pods on 10 nodes, rolled out', seconds, 's', undefined, { atMost: 5 })
  })
  await inCluster(100, async (cluster) => {
    const { client, manager, scheduler, server, metricsPort } = cluster
    const idle = await idlePercent(processesOf(cluster))
    report('100 nodes without pods: of a core', idle, '%', hundred, { atMost: 1 })
    report('10,000 pods on 100 nodes, rolled out at once', await rollOut(client, 100, 100), 's')
    report('memory of the controller manager', residentMegabytes(pidOf(manager)), 'MB', undefined, {
      atMost: 200,
    })
    report('memory of the scheduler', residentMegabytes(pidOf(scheduler)), 'MB')
    report('memory of the server', residentMegabytes(server.pid), 'MB')
    const created = lateKeys(await metricsOf(metricsPort))
    report('keys that waited over 1 s in a queue', created, 'keys', undefined, { atMost: 0 })
    report('10,000 pods, deleted and collected at once', await collect(client, 100), 's')
    const late = lateKeys(await metricsOf(metricsPort)) - created
    report('keys that waited over 1 s while collecting', late, 'keys', undefined, { atMost: 0 })
  })
}

/** Milliseconds of the machine in which 100 pods are rolled out on 10 nodes, all in this process and without waiting: the median of some. */
async function virtualRollOut(): Promise<number> {
  const { startControlPlane, virtualClock } = await import('orch/testing')
  const times: number[] = []
  for (let round = 0; round < virtualRounds; round++) {
    const clock = virtualClock()
    const cluster = { simulatedNodes: 10, scheduler: true, controllers: rollOutControllers }
    await using plane = await startControlPlane({ clock, ...cluster })
    const resource = plane.client.resource(deployments).in(namespace)
    const began = performance.now()
    await resource.create(deploymentOf(0, 100))
    while ((await resource.get(nameOf(0))).status?.readyReplicas !== 100) {
      await clock.advanceAsync(lookMs)
    }
    times.push(performance.now() - began)
  }
  return median(times)
}

/** All programs of a cluster, and this process, in which its nodes are. */
function processesOf({ manager, scheduler, server }: Cluster): readonly number[] {
  return [server.pid, pidOf(manager), pidOf(scheduler), process.pid]
}

/** What the renewals of so many nodes cost where nothing is done with them. */
async function bareIdle(nodes: number): Promise<Limit> {
  const value = await withBareRenewals(nodes, ({ pid }) => idlePercent([pid, process.pid]))
  return { name: 'node:http with the same renewals', value }
}

/** What processes take of a core, together, while nothing happens. */
async function idlePercent(processes: readonly number[]): Promise<number> {
  await setTimeout(calmMs)
  const before = processorSeconds(processes)
  await setTimeout(idleMs)
  return (100_000 * (processorSeconds(processes) - before)) / idleMs
}

/** What runs, and a client that may do everything. */
interface Cluster {
  readonly client: Client
  readonly server: ServerProcess
  readonly manager: ChildProcess
  readonly scheduler: ChildProcess
  readonly metricsPort: number
}

/** Runs something in a cluster of so many nodes, and stops that cluster. */
async function inCluster(nodes: number, run: (cluster: Cluster) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-cluster-'))
  const server = await startServer('memory')
  const { host, port } = server.address
  const orchconfig = join(folder, 'orchconfig')
  await writeFile(orchconfig, orchconfigText({ name: 'bench', server: `http://${host}:${port}` }))
  const metricsPort = await freePort()
  const manager = await startDaemon('controller-manager', orchconfig, [
    `--secure-port=${metricsPort}`,
    '--authorization-always-allow-paths=/metrics',
  ])
  const scheduler = await startDaemon('scheduler', orchconfig, ['--secure-port=0'])
  const client = await connect(orchconfig, { manager: 'bench' })
  const end = new AbortController()
  const simulated = createSimulatedNodes({
    ...{ client, platform, count: nodes, clock: systemClock, log: silentLog },
    removesTaint: false,
  })
  const running = simulated.run(end.signal)
  await simulated.ready
  await run({ client, server, manager, scheduler, metricsPort })
  end.abort()
  await running
  for (const daemon of [manager, scheduler]) {
    daemon.kill()
    await once(daemon, 'exit')
  }
  await client.close()
  await server.stop()
  await rm(folder, { recursive: true })
}

/** A daemon of the package, once it is ready. */
async function startDaemon(
  name: string,
  orchconfig: string,
  flags: readonly string[],
): Promise<ChildProcess> {
  const program = fileURLToPath(new URL(`../../packed/orch-${name}.js`, import.meta.url))
  const limits = ['--orch-api-qps=100000', '--orch-api-burst=100000']
  const usual = ['--bind-address=127.0.0.1', '--leader-elect=false', ...limits]
  const daemon = spawn(process.execPath, [
    program,
    `--orchconfig=${orchconfig}`,
    ...usual,
    ...flags,
  ])
  let said = ''
  for (const stream of [daemon.stdout, daemon.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      said += part
    })
  }
  await until(async () => {
    if (daemon.exitCode !== null) throw new Error(`orch-${name} ended:\n${said}`)
    return /^ready/m.test(said)
  })
  return daemon
}

/** Seconds until all pods of new deployments are ready. */
async function rollOut(client: Client, count: number, replicas: number): Promise<number> {
  const resource = client.resource(deployments).in(namespace)
  const began = performance.now()
  for (let at = 0; at < count; at++) await resource.create(deploymentOf(at, replicas))
  await until(async () => {
    const { items } = await resource.listAll()
    return items.every(({ status }) => status?.readyReplicas === replicas)
  })
  return (performance.now() - began) / 1000
}

function deploymentOf(at: number, replicas: number) {
  const labels = { app: nameOf(at) }
  const requests = { cpu: '10m', memory: '16Mi' }
  const containers = [{ name: 'web', image: 'web:1', resources: { requests } }]
  const template = { metadata: { labels }, spec: { containers } }
  return {
    metadata: { name: nameOf(at) },
    spec: { replicas, selector: { matchLabels: labels }, template },
  }
}

/** Seconds until the deployments are deleted and none of their pods is left. */
async function collect(client: Client, count: number): Promise<number> {
  const began = performance.now()
  for (let at = 0; at < count; at++) {
    await client.resource(deployments).in(namespace).delete(nameOf(at))
  }
  await until(async () => {
    for await (const _ of client.resource(pods).in(namespace).list({ pageSize: 1 })) return false
    return true
  })
  return (performance.now() - began) / 1000
}

function nameOf(at: number): string {
  return `web-${at}`
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await setTimeout(lookMs)
}

/** Keys that stood in a queue for over a second, of all queues. */
function lateKeys(metrics: string): number {
  const sum = (line: RegExp) =>
    [...metrics.matchAll(line)].reduce((total, [, value]) => total + Number(value), 0)
  const all = sum(/^workqueue_queue_duration_seconds_count\{.*\} (\d+)$/gm)
  return all - sum(/^workqueue_queue_duration_seconds_bucket\{.*le="1".*\} (\d+)$/gm)
}

/** Over the certificate that the manager made for itself. */
function metricsOf(port: number): Promise<string> {
  const options = { host: '127.0.0.1', port, path: '/metrics', rejectUnauthorized: false }
  return new Promise((resolve, reject) => {
    get(options, (response) => text(response).then(resolve, reject)).once('error', reject)
  })
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}

function pidOf({ pid }: ChildProcess): number {
  return pid ?? 0
}

/** Processor time that processes have used; only Linux tells it this precisely. */
function processorSeconds(pids: readonly number[]): number {
  return pids.reduce((total, pid) => {
    const [, numbers = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
    const [user, system] = numbers.split(' ').slice(11, 13).map(Number)
    return total + ((user ?? 0) + (system ?? 0)) / ticksPerSecond
  }, 0)
}
