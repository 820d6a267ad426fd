import type { Toleration } from '../../../generated/apis/core/v1/scheduling.ts'
import type { RuntimeClass } from '../../../generated/apis/node/v1.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import type { Attributes } from '../chain/attributes.ts'
import { forbidden } from '../chain/errors.ts'
import type { PluginFactory } from '../chain/plugin.ts'
import { getObject, type PluginContext } from '../chain/plugin-context.ts'
import { isPodWrite, type PodSpec, podSpecOf, withPodSpec } from './pods/pod-spec.ts'

const mismatch = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"

/** A pod's runtime class is there, and the pod carries its overhead and goes where it runs (supplement Q-24). */
export const runtimeClass: PluginFactory = (world) => ({
  handles: (place) => isPodWrite(place) && place.operation === 'CREATE',
  mutate(subject) {
    const { runtimeClassName } = podSpecOf(subject.object)
    return runtimeClassName ? withOverhead(world, subject, runtimeClassName) : subject.object
  },
  validate(subject) {
    const { runtimeClassName } = podSpecOf(subject.object)
    if (!runtimeClassName) return validateOverhead(subject, undefined)
    return getRuntimeClass(world, subject, runtimeClassName).then((found) =>
      validateOverhead(subject, found),
    )
  },
})

async function withOverhead(world: PluginContext, subject: Attributes, name: string) {
  const { object } = subject
  const found = await getRuntimeClass(world, subject, name)
  if (object === undefined) return object
  const spec = podSpecOf(object)
  const overhead = found.overhead?.podFixed
  if (overhead && spec.overhead !== undefined && !deepEqual(spec.overhead, overhead)) {
    throw forbidden(subject, mismatch)
  }
  return withPodSpec(object, {
    ...(overhead && { overhead }),
    ...(found.scheduling && schedulingOf(subject, spec, found.scheduling)),
  })
}

/** The overhead of a pod is that of its class, and none without a class that has one. */
function validateOverhead(subject: Attributes, found: RuntimeClass | undefined): void {
  const { overhead } = podSpecOf(subject.object)
  if (found?.overhead !== undefined) {
    if (!deepEqual(found.overhead.podFixed ?? {}, overhead ?? {}))
      throw forbidden(subject, mismatch)
    return
  }
  if (overhead === undefined || overhead === null) return
  const why = 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead'
  throw forbidden(subject, why)
}

async function getRuntimeClass(
  world: PluginContext,
  subject: Attributes,
  name: string,
): Promise<RuntimeClass> {
  const path = `apis/node.${world.scheme.platform.api}/v1/runtimeclasses`
  const found = await getObject(world, path, name)
  if (found !== undefined) return found as RuntimeClass
  throw forbidden(subject, `pod rejected: RuntimeClass "${name}" not found`)
}

function schedulingOf(
  subject: Attributes,
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
    ...(tolerations && { tolerations: mergeTolerations(spec.tolerations ?? [], tolerations) }),
  }
}

/** Both lists without what another toleration covers. */
function mergeTolerations(
  first: readonly Toleration[],
  second: readonly Toleration[],
): readonly Toleration[] {
  const all = [...first, ...second]
  const kept: Toleration[] = []
  for (const [index, one] of all.entries()) {
    const later = all
      .slice(index + 1)
      .some((other) => !deepEqual(one, other) && toleratesAllOf(other, one))
    if (!later && !kept.some((other) => toleratesAllOf(other, one))) kept.push(one)
  }
  return kept
}

function toleratesAllOf(wide: Toleration, narrow: Toleration): boolean {
  if (deepEqual(wide, narrow)) return true
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
