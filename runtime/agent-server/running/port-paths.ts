/** What the ports of an agent serve, by the first step of the path (G-02, G-03). */
import { Refusal } from '../contract/refusal.ts'
import type { AgentPage } from '../pages/agent-page.ts'
import { checkpointPage } from '../pages/checkpoint-page.ts'
import { logFilesPage } from '../pages/log-files.ts'
import { containerLogsPage, podsPage, runningPodsPage, runPage } from '../pages/pod-pages.ts'
import { metricsPage, statsPage } from '../pages/stats-pages.ts'
import { containerMetrics } from '../stats/container-metrics.ts'
import { probeMetrics } from '../stats/probe-metrics.ts'
import { resourceMetrics } from '../stats/resource-metrics.ts'
import { attach, forwardPorts, runCommand } from './run-command.ts'

/** A request that becomes a connection of streams. */
export type Upgrade = typeof runCommand

/** What is served at a path, or why it is not. */
export interface PortPath {
  readonly methods?: readonly string[]
  /** How many steps follow the first one; any number where nothing is said. */
  readonly steps?: number
  readonly page?: AgentPage
  readonly upgrade?: Upgrade
  readonly refusal?: string
}

/** What a port is to serve. */
export interface PortPathOptions {
  /** Serves logs, commands and ports, not only what is known of pods. */
  readonly handlers: boolean
  /** Serves profiles. */
  readonly profiling?: boolean
  /** Lets the detail of the log be changed. */
  readonly flags?: boolean
  /** Whose files `/logs/` serves; without it there are none. */
  readonly logFolder?: string
  /** Where checkpoints of containers are written; without it there is no such path. */
  readonly checkpointFolder?: string
}

const reading = ['GET', 'HEAD']
const opening = ['GET', 'POST']

/** The paths of a port by their first step, or their first two. Others are served as every daemon does, or not at all. */
export function portPaths(options: PortPathOptions): ReadonlyMap<string, PortPath> {
  const metrics = (name: string, page: AgentPage) =>
    [`metrics/${name}`, { methods: reading, steps: 1, page }] as const
  return new Map<string, PortPath>([
    ['pods', { methods: reading, steps: 0, page: podsPage }],
    ['stats', { methods: reading, steps: 1, page: statsPage() }],
    metrics('resource', metricsPage(resourceMetrics)),
    metrics('cadvisor', metricsPage(containerMetrics)),
    metrics('probes', metricsPage(probeMetrics)),
    ...(options.handlers ? handlerPaths(options) : disabledPaths),
  ])
}

type Entry = readonly [string, PortPath]

function handlerPaths(options: PortPathOptions): readonly Entry[] {
  const { profiling = false, flags = false, logFolder, checkpointFolder } = options
  return [
    ['runningpods', { methods: reading, steps: 0, page: runningPodsPage }],
    ['containerLogs', { methods: reading, steps: 3, page: containerLogsPage }],
    ['run', { methods: ['POST'], page: runPage }],
    ['exec', { methods: opening, upgrade: runCommand }],
    ['attach', { methods: opening, upgrade: attach }],
    ['portForward', { methods: opening, upgrade: forwardPorts }],
    logFolder === undefined
      ? ['logs', { refusal: 'logs endpoint is disabled.' }]
      : ['logs', { methods: reading, page: logFilesPage(logFolder) }],
    ...(checkpointFolder === undefined ? [] : [checkpoints(checkpointFolder)]),
    ...(profiling
      ? []
      : [['debug/pprof', { refusal: 'profiling endpoint is disabled.' }] as const]),
    ...(flags ? [] : [['debug/flags', { refusal: 'flags endpoint is disabled.' }] as const]),
  ]
}

function checkpoints(folder: string): Entry {
  return ['checkpoint', { methods: ['POST'], steps: 3, page: checkpointPage(folder) }]
}

/** Where the handlers are switched off that is told, rather than that there is no such path. */
const disabledPaths: readonly Entry[] = [
  ...['run', 'exec', 'attach', 'portForward', 'containerLogs', 'runningpods', 'logs'],
  'debug/pprof',
].map((path) => [path, { refusal: 'Debug endpoints are disabled.' }])

/** What is served at a path. @throws Refusal where it is not, or not by that method. */
export function findPath(
  paths: ReadonlyMap<string, PortPath>,
  steps: readonly string[],
  method: string,
): PortPath | undefined {
  const [first = '', ...rest] = steps
  const found = paths.get(`${first}/${rest[0]}`) ?? paths.get(first)
  if (found === undefined) return undefined
  if (found.refusal !== undefined) throw new Refusal(405, found.refusal)
  if (found.steps !== undefined && rest.length !== found.steps) {
    throw new Refusal(404, '404 page not found')
  }
  if (!found.methods?.includes(method)) throw new Refusal(405, '405: Method Not Allowed')
  return found
}
