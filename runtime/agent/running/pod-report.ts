/** What is told of a pod that runs. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { Pod, PodStatus } from '../../../generated/apis/core/v1/pod.ts'
import { type ContainerStatus, openLogFileSync } from '../../container-runtime/container-runtime.ts'
import { timestamp } from '../../kernel/async/clock.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { qosClassOf, specOf, statusWith } from '../../pods/pods.ts'
import { containerStatuses, type WaitingReason } from '../decision/container-statuses.ts'
import type { Prober } from '../probes/prober.ts'
import { messageFile } from './container-config.ts'
import type { Observed } from './pod-observation.ts'
import type { RunningPod } from './running-pod.ts'

/** What is known beside what the runtime says. */
export interface ReportFacts {
  readonly observed: Observed
  /** Containers that wait for their next start, with how long they wait in all. */
  readonly backoffs: ReadonlyMap<string, number>
  readonly problems: ReadonlyMap<string, WaitingReason>
  readonly prober: Prober
  /** Why the pod was sent away. */
  readonly sentAway: WaitingReason | undefined
  readonly startTime: string | undefined
}

/** Most bytes of a message that a container left, and of its log in place of one. */
const mostMessage = 4096
const mostLines = 80
const mostOfLog = 2048
/** Bytes of the end of a log that are looked at. */
const mostRead = 64 * 1024

/** The status of a pod. */
export function reportOf(of: RunningPod, facts: ReportFacts): PodStatus {
  const { pod } = of
  const { address, runtimeName, clock } = of.facts
  const { observed, problems, backoffs, prober, sentAway, startTime } = facts
  const byId = new Map(observed.all.map((each) => [each.id, of.container(each.config.name)]))
  const containers = containerStatuses({
    ...{ pod, runtime: runtimeName, containers: observed.newest, former: observed.former },
    ...{ problems, backoffs },
    isReady: (id) => {
      const container = byId.get(id)
      return container !== undefined && prober.isReady(id, container)
    },
    hasStarted: (id) => prober.hasStarted(id, byId.get(id)),
    terminationMessage: (id) =>
      messageOf(
        of,
        observed.all.find((each) => each.id === id),
      ),
  })
  const ips = observed.sandboxes[0]?.ips ?? []
  const podIP = ips[0] ?? address
  const before = pod.status ?? {}
  const hasSandbox = observed.sandboxes.length > 0
  const known = {
    ...before,
    qosClass: before.qosClass ?? qosClassOf(specOf(pod)),
    startTime: before.startTime ?? startTime ?? timestamp(clock.now()),
    ...{ hostIP: address, hostIPs: [{ ip: address }] },
    ...(hasSandbox && { podIP, podIPs: (ips.length > 0 ? ips : [podIP]).map((ip) => ({ ip })) }),
    ...(sentAway && { phase: 'Failed' as const, ...sentAway }),
  }
  // One that was refused was never disrupted.
  const disrupted =
    sentAway && hasSandbox && isDisruption(sentAway) ? withDisruption(of, known, sentAway) : known
  return statusWith({ ...pod, status: disrupted }, containers, clock.now())
}

/** True for a pod that is sent away for the sake of others, which is no fault of its own. */
function isDisruption({ reason }: WaitingReason): boolean {
  return reason === 'Evicted' || reason === 'Terminated'
}

function withDisruption(
  { facts: { clock, platform } }: RunningPod,
  status: NonNullable<Stored<Pod>['status']>,
  { message }: WaitingReason,
): PodStatus {
  const type = 'DisruptionTarget'
  const { conditions = [] } = status
  if (conditions.some((one) => one.type === type)) return status
  const agent = platform.agent.charAt(0).toUpperCase() + platform.agent.slice(1)
  const told = {
    ...{ type, status: 'True' as const, reason: `TerminationBy${agent}`, message },
    ...{ lastProbeTime: null, lastTransitionTime: timestamp(clock.now()) },
  }
  return { ...status, conditions: [...conditions, told] }
}

function messageOf(of: RunningPod, container: ContainerStatus | undefined): string {
  if (container === undefined) return ''
  const { name, attempt } = container.config
  try {
    const file = openSync(messageFile(of.folder, name, attempt), 'r')
    const text = partOf(file, () => 0, mostMessage)
    if (text !== '') return text
  } catch {}
  const { terminationMessagePolicy } = of.container(name) ?? {}
  if (terminationMessagePolicy !== 'FallbackToLogsOnError' || container.exitCode === 0) return ''
  return lastLines(container.logFile)
}

/** The last lines of a log, as far as 2 KiB hold them. */
function lastLines(file: string): string {
  const lines = endOf(file).trimEnd().split('\n').slice(-mostLines)
  return lines
    .map((line) => line.replace(/^\S+ \S+ \S /, ''))
    .join('\n')
    .slice(-mostOfLog)
}

function endOf(file: string): string {
  try {
    return partOf(openLogFileSync(file), (size) => Math.max(0, size - mostRead), mostRead)
  } catch {
    return ''
  }
}

/** So many bytes of a file at most, which is closed: containers write as much as they like. */
function partOf(fd: number, from: (size: number) => number, most: number): string {
  try {
    const bytes = Buffer.alloc(most)
    const length = readSync(fd, bytes, 0, most, from(fstatSync(fd).size))
    return String(bytes.subarray(0, length))
  } finally {
    closeSync(fd)
  }
}
