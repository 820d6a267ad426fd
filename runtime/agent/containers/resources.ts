/** What the kernel is told of the amounts that a pod asks for. */
import type { Container } from '../../../generated/apis/core/v1/container.ts'
import type { PodSpec } from '../../../generated/apis/core/v1/pod.ts'
import type { ContainerResources } from '../../container-runtime/container-runtime.ts'
import { parseQuantity } from '../../kernel/values/quantity.ts'
import { podRequests, podResources, qosClassOf, type ResourceList } from '../../pods/pods.ts'

/** How amounts become limits on a node. */
export interface LimitSettings {
  /** All the memory of the node. */
  readonly memoryBytes: number
  /** Whether limits of processor time are enforced, and over which period. */
  readonly enforcesCpu: boolean
  readonly cpuPeriodMs: number
}

type Asking = Pick<Container, 'resources'>

const leastShares = 2
const mostShares = 262_144
const leastQuota = 1000
/** Pods of this priority and above are the last to go. */
const criticalPriority = 2_000_001_000

/** The limits of a container. */
export function containerResources(
  { resources: { limits = {}, requests = {} } = {} }: Asking,
  spec: PodSpec,
  settings: LimitSettings,
): ContainerResources {
  const cpuLimit = milliOf(limits.cpu)
  const memory = bytesOf(limits.memory)
  return {
    ...cpuOf(requests.cpu === undefined ? cpuLimit : milliOf(requests.cpu), cpuLimit, settings),
    ...(memory > 0 && { memoryBytes: memory }),
    oomScoreAdj: oomScoreAdj(requests.memory ?? limits.memory, spec, settings.memoryBytes),
  }
}

/** The limits of all containers of a pod together: what they may use at a time, where each of them has a limit. */
export function podLimits(spec: PodSpec, settings: LimitSettings): ContainerResources {
  const limits = podResources(spec, 'limits')
  const all = [...spec.containers, ...(spec.initContainers ?? [])]
  const everyHas = (name: string) =>
    all.every(({ resources }) => Number(amount(resources?.limits?.[name])) > 0)
  const cpuLimit = everyHas('cpu') ? milliIn(limits, 'cpu') : 0
  const memory = everyHas('memory') ? Number((limits.get('memory')?.nanos ?? 0n) / 10n ** 9n) : 0
  return {
    ...cpuOf(milliIn(podRequests(spec), 'cpu'), cpuLimit, settings),
    ...(memory > 0 && { memoryBytes: memory }),
  }
}

function cpuOf(requestMilli: number, limitMilli: number, settings: LimitSettings) {
  const { enforcesCpu, cpuPeriodMs } = settings
  const shares = Math.floor((requestMilli * 1024) / 1000)
  const quota = Math.max(leastQuota, Math.floor(limitMilli * cpuPeriodMs))
  return {
    cpuShares: Math.min(mostShares, Math.max(leastShares, shares)),
    ...(enforcesCpu && limitMilli > 0 && { cpuPeriod: cpuPeriodMs * 1000, cpuQuota: quota }),
  }
}

/** How soon a process is ended where memory runs out: the more, the less of it its container asked for. */
export function oomScoreAdj(
  request: string | undefined,
  spec: PodSpec,
  nodeMemoryBytes: number,
): number {
  if ((spec.priority ?? 0) >= criticalPriority) return -997
  const quality = qosClassOf(spec)
  if (quality === 'Guaranteed') return -997
  if (quality === 'BestEffort') return 1000
  const part = Math.floor((1000 * bytesOf(request)) / nodeMemoryBytes)
  return Math.min(999, Math.max(3, 1000 - part))
}

/** Bytes of a quantity, rounded up; 0 for none. */
export function bytesOf(text: string | undefined): number {
  return Number((amount(text) + 999_999_999n) / 10n ** 9n)
}

function milliOf(text: string | undefined): number {
  return Number((amount(text) + 999_999n) / 10n ** 6n)
}

function milliIn(list: ResourceList, name: string): number {
  return Number(((list.get(name)?.nanos ?? 0n) + 999_999n) / 10n ** 6n)
}

function amount(text: string | undefined): bigint {
  const parsed = text === undefined ? undefined : parseQuantity(text)
  return parsed === undefined || parsed.negative ? 0n : parsed.nanos
}
