import { type CacheReader, formatKey, objectKey } from '../../informer/informer.ts'
import type { Clock } from '../../kernel/async/clock.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { Metrics } from '../../observe/observe.ts'
import { type Readiness, readinessOf } from '../objects/readiness.ts'

/** How the objects of a controller stand, by the conditions that their schema declares. */
export interface ReadinessReport {
  readonly objects: number
  readonly ready: number
  /** Those that are not ready, by their keys; 50 at most. */
  readonly unready: Readonly<Record<string, Readiness>>
}

/** So many objects that are not ready are reported. */
const reported = 50

/** How the objects in a cache stand now. */
export function readinessReport(
  kind: AnyKind,
  cache: CacheReader<ApiObject>,
  now: number,
): ReadinessReport {
  const all = cache.list().map((object) => [object, readinessOf(kind, object, now)] as const)
  const unready = all.filter(([, { ready }]) => !ready)
  const shown = unready
    .map(([object, readiness]) => [formatKey(objectKey(object)), readiness] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .slice(0, reported)
  return {
    objects: all.length,
    ready: all.length - unready.length,
    unready: Object.fromEntries(shown),
  }
}

/** True for a kind whose schema says which conditions are healthy. */
export function declaresHealth({ conditions = {} }: AnyKind): boolean {
  return Object.values(conditions).some(({ healthy }) => healthy !== undefined)
}

/** The reason of a condition that is not there, as metrics name it. */
const absent = 'Absent'

/**
 * Counts the objects of a controller when metrics are collected: all of them, those that are ready, and by condition and reason those
 * that are not healthy for longer than the schema's `alertAfter`. The series are those of the schema: no object has one of its own.
 */
export function collectReadiness(
  metrics: Metrics,
  title: string,
  kind: AnyKind,
  cache: CacheReader<ApiObject>,
  clock: Clock,
): void {
  const objects = metrics.gauge('controller_objects')
  const ready = metrics.gauge('controller_ready_objects')
  const overdue = metrics.gauge('controller_overdue_conditions')
  const pairs = Object.entries(kind.conditions ?? {})
    .filter(([, { alertAfterSeconds }]) => alertAfterSeconds !== undefined)
    .flatMap(([type, { reasons }]) =>
      [...Object.keys(reasons), absent].map((reason) => [type, reason] as const),
    )
  metrics.onCollect(() => {
    const counts = new Map(pairs.map((pair) => [pair.join('/'), 0]))
    let [total, good] = [0, 0]
    for (const object of cache.list()) {
      const readiness = readinessOf(kind, object, clock.now())
      total++
      if (readiness.ready) good++
      for (const { type, reason, overdue: late } of readiness.unhealthy) {
        const name = `${type}/${reason || absent}`
        if (late && counts.has(name)) counts.set(name, (counts.get(name) ?? 0) + 1)
      }
    }
    objects.set([title], total)
    ready.set([title], good)
    for (const [type, reason] of pairs)
      overdue.set([title, kind.kind, type, reason], counts.get(`${type}/${reason}`) ?? 0)
  })
}
