import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type { Stored } from '../../kernel/meta/object.ts'

/** What was measured of a pod. */
export interface PodMetric {
  /** In thousandths. */
  readonly value: number
  /** When, in milliseconds; the window that it speaks of ends then. */
  readonly at: number
  readonly windowMs: number
}

/** What was measured of pods, by their names. */
export type PodMetrics = ReadonlyMap<string, PodMetric>

/** How samples of pods are judged that have just begun. */
export interface SampleRules {
  /** Undefined for a metric that is no resource. */
  readonly resource: string | undefined
  /** So long after their start samples of CPU may be passed over. */
  readonly initializationMs: number
  /** So long after their start changes of readiness are part of it. */
  readonly readinessDelayMs: number
}

/** Pods by what is known of them, as names. */
export interface PodGroups {
  /** How many have a sample that counts. */
  readonly ready: number
  readonly unready: readonly string[]
  /** Without a sample. */
  readonly missing: readonly string[]
  /** Those that go or have failed. */
  readonly ignored: readonly string[]
}

/** Says of each pod whether its sample counts. */
export function groupPods(
  pods: readonly Stored<Pod>[],
  metrics: PodMetrics,
  rules: SampleRules,
  now: number,
): PodGroups {
  const groups = { ready: [], unready: [], missing: [], ignored: [] } as Record<string, string[]>
  for (const pod of pods) groups[groupOf(pod, metrics, rules, now)]?.push(pod.metadata.name)
  const { ready = [], unready = [], missing = [], ignored = [] } = groups
  return { ready: ready.length, unready, missing, ignored }
}

function groupOf(
  pod: Stored<Pod>,
  metrics: PodMetrics,
  rules: SampleRules,
  now: number,
): keyof PodGroups {
  const { metadata, status } = pod
  if (metadata.deletionTimestamp !== undefined || status?.phase === 'Failed') return 'ignored'
  if (status?.phase === 'Pending') return 'unready'
  const metric = metrics.get(metadata.name)
  if (metric === undefined) return 'missing'
  return rules.resource === 'cpu' && isBeginning(pod, metric, rules, now) ? 'unready' : 'ready'
}

/** True for a pod whose CPU tells of its start, and not of its work. */
function isBeginning(
  { status }: Stored<Pod>,
  { at, windowMs }: PodMetric,
  { initializationMs, readinessDelayMs }: SampleRules,
  now: number,
): boolean {
  const condition = status?.conditions?.find(({ type }) => type === 'Ready')
  if (condition === undefined || status?.startTime === undefined) return true
  const started = Date.parse(status.startTime)
  const changed = Date.parse(condition.lastTransitionTime ?? '') || 0
  const isUnready = condition.status === 'False'
  if (started + initializationMs > now) return isUnready || at < changed + windowMs
  return isUnready && started + readinessDelayMs > changed
}
