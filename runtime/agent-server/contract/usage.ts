/** What the machine and its containers use. */
import { readFileSync } from 'node:fs'
import { cpus, freemem, totalmem, uptime } from 'node:os'
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type { ContainerStats, ContainerStatus } from '../../container-runtime/container-runtime.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import type { NodeView } from './node-view.ts'

/** What one container uses. */
export interface ContainerUsage extends ContainerStats {
  readonly name: string
  readonly startedAt: number
  readonly config: ContainerStatus['config']
  readonly logFile: string
}

/** What the containers of a pod use. */
export interface PodUsage {
  readonly pod: Stored<Pod>
  readonly containers: readonly ContainerUsage[]
}

/** What a node uses, and when that was. */
export interface NodeUsage {
  readonly at: number
  readonly bootedAt: number
  /** Processor time since the start, in nanoseconds. */
  readonly cpuNanoseconds: number
  readonly memoryBytes: number
  readonly memoryTotal: number
  readonly pods: readonly PodUsage[]
}

/** Reads what is used now. */
export async function readUsage({ runtime, clock, pods }: NodeView): Promise<NodeUsage> {
  const [stats, containers, sandboxes] = await Promise.all([
    runtime.listContainerStats(),
    runtime.listContainers(),
    runtime.listPodSandboxes(),
  ])
  const statsById = new Map(stats.map((one) => [one.id, one]))
  const uidOf = new Map(sandboxes.map(({ id, config }) => [id, config.uid]))
  const at = clock.now()
  return {
    ...{ at, bootedAt: at - uptime() * 1000, cpuNanoseconds: machineNanoseconds() },
    ...{ memoryBytes: totalmem() - availableBytes(), memoryTotal: totalmem() },
    pods: pods().map((pod) => ({
      pod,
      containers: containers.flatMap(({ id, sandboxId, config, state, startedAt, logFile }) => {
        const own = statsById.get(id)
        if (uidOf.get(sandboxId) !== pod.metadata.uid || state !== 'running') return []
        return own === undefined ? [] : [{ ...own, name: config.name, startedAt, config, logFile }]
      }),
    })),
  }
}

/** The processor time of the whole machine that was not idle. */
function machineNanoseconds(): number {
  const busy = cpus().reduce(
    (sum, { times }) => sum + times.user + times.nice + times.sys + times.irq,
    0,
  )
  return busy * 1e6
}

function availableBytes(): number {
  try {
    const [, kilobytes] =
      /^MemAvailable:\s+(\d+) kB/m.exec(readFileSync('/proc/meminfo', 'utf8')) ?? []
    return kilobytes === undefined ? freemem() : Number(kilobytes) * 1024
  } catch {
    return freemem()
  }
}
