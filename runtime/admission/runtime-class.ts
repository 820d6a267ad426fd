import type { Toleration } from '../../generated/apis/core/v1/scheduling.ts'
import type { RuntimeClass } from '../../generated/apis/node/v1.ts'
import { equal } from '../kernel/equal.ts'
import type { Subject } from './attempt.ts'
import type { PluginFactory } from './plugin.ts'
import { isPod, type PodSpec, specOf, withSpec } from './pods.ts'
import { forbidden } from './refusal.ts'
import { objectAt, type World } from './world.ts'

const mismatch = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"

/** A pod's runtime class is there, and the pod carries its overhead and goes where it runs (supplement Q-24). */
export const runtimeClass: PluginFactory = (world) => ({
  handles: (place) => isPod(place) && place.operation === 'CREATE',
  mutate(subject) {
    const { runtimeClassName } = specOf(subject.object)
    return runtimeClassName ? carrying(world, subject, runtimeClassName) : subject.object
  },
  validate(subject) {
    const { runtimeClassName } = specOf(subject.object)
    if (!runtimeClassName) return compare(subject, undefined)
    return classOf(world, subject, runtimeClassName).then((found) => compare(subject, found))
  },
})

async function carrying(world: World, subject: Subject, name: string) {
  const { object } = subject
  const found = await classOf(world, subject, name)
  if (object === undefined) return object
  const spec = specOf(object)
  const overhead = found.overhead?.podFixed
  if (overhead && spec.overhead !== undefined && !equal(spec.overhead, overhead)) {
    throw forbidden(subject, mismatch)
  }
  return withSpec(object, {
    ...(overhead && { overhead }),
    ...(found.scheduling && placement(subject, spec, found.scheduling)),
  })
}

/** The overhead of a pod is that of its class, and none without a class that has one. */
function compare(subject: Subject, found: RuntimeClass | undefined): void {
  const { overhead } = specOf(subject.object)
  if (found?.overhead !== undefined) {
    if (!equal(found.overhead.podFixed ?? {}, overhead ?? {})) throw forbidden(subject, mismatch)
    return
  }
  if (overhead === undefined || overhead === null) return
  const why = 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead'
  throw forbidden(subject, why)
}

async function classOf(world: World, subject: Subject, name: string): Promise<RuntimeClass> {
  const path = `apis/node.${world.tree.platform.api}/v1/runtimeclasses`
  const found = await objectAt(world, path, name)
  if (found !== undefined) return found as RuntimeClass
  throw forbidden(subject, `pod rejected: RuntimeClass "${name}" not found`)
}

function placement(
  subject: Subject,
  spec: Partial<PodSpec>,
  { nodeSelector, tolerations }: NonNullable<RuntimeClass['scheduling']>,
): Partial<PodSpec> {
  for (const [key, wanted] of Object.entries(nodeSelector ?? {})) {
    const own = spec.nodeSelector?.[key]
    if (own === undefined || own === wanted) continue
    throw forbidden(
      subject,
      `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${wanted}; pod.spec.nodeSelector[${key}] = ${own}`,
    )
  }
  return {
    ...(nodeSelector && { nodeSelector: { ...spec.nodeSelector, ...nodeSelector } }),
    ...(tolerations && { tolerations: mergedTolerations(spec.tolerations ?? [], tolerations) }),
  }
}

/** Both lists without what another toleration covers. */
function mergedTolerations(
  first: readonly Toleration[],
  second: readonly Toleration[],
): readonly Toleration[] {
  const all = [...first, ...second]
  const kept: Toleration[] = []
  for (const [index, one] of all.entries()) {
    const later = all.slice(index + 1).some((other) => !equal(one, other) && covers(other, one))
    if (!later && !kept.some((other) => covers(other, one))) kept.push(one)
  }
  return kept
}

function covers(wide: Toleration, narrow: Toleration): boolean {
  if (equal(wide, narrow)) return true
  const { key = '', effect = '', operator = '', value = '', tolerationSeconds } = wide
  if (key !== (narrow.key ?? '') && (key !== '' || operator !== 'Exists')) return false
  if (effect !== '' && effect !== (narrow.effect ?? '')) return false
  if (effect === 'NoExecute' && tolerationSeconds !== undefined) {
    const most = narrow.tolerationSeconds ?? Number.POSITIVE_INFINITY
    if (most > tolerationSeconds) return false
  }
  if (operator === 'Exists') return true
  return narrow.operator === 'Equal' && (narrow.value ?? '') === value
}
