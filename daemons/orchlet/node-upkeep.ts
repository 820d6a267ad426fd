/** What goes on beside the pods of a node: it is kept from running out of memory and disk, and logs from growing. */
import { join } from 'node:path'
import type { OrchletConfiguration } from '../../generated/config/agent/v1beta1.ts'
import {
  type Agent,
  createEvictor,
  createImageCollector,
  type Evictor,
  keepLogsShort,
  observeMachine,
  type PodUse,
  podLogFolder,
  resourceOf,
  type Threshold,
  volumeOverLimit,
} from '../../runtime/agent/agent.ts'
import {
  type ContainerRuntime,
  folderSize,
} from '../../runtime/container-runtime/container-runtime.ts'
import type { Clock } from '../../runtime/kernel/async/clock.ts'
import { parseDuration } from '../../runtime/kernel/values/duration.ts'
import { parseQuantity } from '../../runtime/kernel/values/quantity.ts'
import type { Log } from '../../runtime/observe/observe.ts'
import { hasEnded } from '../../runtime/pods/pods.ts'

/** What the upkeep is done with. */
export interface UpkeepOptions {
  readonly configuration: OrchletConfiguration
  readonly thresholds: readonly Threshold[]
  readonly rootFolder: string
  readonly logFolder: string
  /** The image that sandboxes are made of. */
  readonly sandboxImage: string
  readonly domain: string
  readonly runtime: ContainerRuntime
  readonly agent: Pick<Agent, 'pods' | 'sendAway'>
  /** Tells of the node. */
  tell(reason: string, message: string): void
  readonly clock: Clock
  readonly log: Log
}

/** The upkeep of a node. */
export interface Upkeep {
  readonly evictor: Evictor
  run(signal: AbortSignal): Promise<void>
}

const msOf = (text: string): number => parseDuration(text) ?? 0

/** Upkeep as the configuration asks for. */
export function nodeUpkeep(options: UpkeepOptions): Upkeep {
  const { configuration, thresholds, rootFolder, domain, runtime, agent, clock, log } = options
  const images = createImageCollector({
    ...{ runtime, clock, log, keeps: options.sandboxImage, tell: options.tell },
    settings: {
      highPercent: configuration.imageGCHighThresholdPercent,
      lowPercent: configuration.imageGCLowThresholdPercent,
      leastAgeMs: msOf(configuration.imageMinimumGCAge),
      mostAgeMs: msOf(configuration.imageMaximumGCAge),
    },
  })
  let imageFolder = rootFolder
  const evictor = createEvictor({
    ...{ thresholds, domain, clock, log },
    transitionMs: msOf(configuration.evictionPressureTransitionPeriod),
    softGraceSeconds: configuration.evictionMaxPodGracePeriod,
    observe: () => observeMachine(rootFolder, imageFolder),
    uses: (signal) => usesOf(options, resourceOf(signal) === 'ephemeral-storage'),
    pods: () => agent.pods(),
    overLimit: async (pod) =>
      configuration.localStorageCapacityIsolation
        ? volumeOverLimit(pod, join(rootFolder, 'pods'))
        : undefined,
    reclaim: () => images.removeUnused(),
    sendAway: (pod, why) => agent.sendAway(pod.metadata.uid, why),
  })
  return {
    evictor,
    async run(signal) {
      const [place] = await runtime.imageFileSystems().catch(() => [])
      imageFolder = place?.mountpoint || rootFolder
      const size = parseQuantity(configuration.containerLogMaxSize)
      const mostBytes = Number((size?.nanos ?? 0n) / 10n ** 9n)
      const mostFiles = configuration.containerLogMaxFiles
      await Promise.all([
        evictor.run(signal),
        images.run(signal),
        keepLogsShort({ runtime, mostBytes, mostFiles, clock, log }, signal),
      ])
    },
  }
}

async function usesOf(
  { runtime, agent, rootFolder, logFolder }: UpkeepOptions,
  isOfDisk: boolean,
): Promise<readonly PodUse[]> {
  const [sandboxes, containers, stats] = await Promise.all([
    runtime.listPodSandboxes(),
    runtime.listContainers(),
    runtime.listContainerStats(),
  ])
  const uidOf = new Map(sandboxes.map(({ id, config }) => [id, config.uid]))
  const nameOf = new Map(containers.map(({ id, config }) => [id, config.name]))
  const podOf = new Map(containers.map(({ id, sandboxId }) => [id, uidOf.get(sandboxId)]))
  const active = agent.pods().filter((pod) => !hasEnded(pod))
  return Promise.all(
    active.map(async (pod) => {
      const own = stats.filter(({ id }) => podOf.get(id) === pod.metadata.uid)
      const sum = (of: (one: (typeof own)[number]) => number) =>
        own.reduce((total, one) => total + of(one), 0)
      const folders = [join(rootFolder, 'pods', pod.metadata.uid), podLogFolder(pod, logFolder)]
      const sizes = isOfDisk ? await Promise.all(folders.map(folderSize)) : []
      return {
        pod,
        memoryBytes: sum((one) => one.memoryBytes),
        diskBytes: sizes.reduce(
          (total, size) => total + size,
          sum((one) => one.diskBytes ?? 0),
        ),
        processes: sum((one) => one.processes),
        containers: own.map(({ id, memoryBytes, diskBytes = 0 }) => ({
          ...{ name: nameOf.get(id) ?? '', memoryBytes, diskBytes },
        })),
      }
    }),
  )
}
