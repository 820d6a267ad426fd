import type { Toleration } from '../../../generated/apis/core/v1/scheduling.ts'
import type { RuntimeClass } from '../../../generated/apis/node/v1.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import { goValue } from '../../kernel/validation/go-value.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import type { Attributes } from '../chain/attributes.ts'
import { forbidden } from '../chain/errors.ts'
import type { PluginFactory } from '../chain/plugin.ts'
import { getObject, type PluginContext } from '../chain/plugin-context.ts'
import { isPodRequest, type PodSpec, podSpecOf, withPodSpec } from './pods/pod-spec.ts'

const overheadMismatch =
  "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"

/** RuntimeClass gives pods the overhead, node selector and tolerations of their runtime class (supplement Q-24). */
export const runtimeClass: PluginFactory = (context) => ({
  handles: (request) => isPodRequest(request) && request.operation === 'CREATE',
  mutate(attributes) {
    const { object } = attributes
    const { runtimeClassName } = podSpecOf(object)
    if (!runtimeClassName || object === undefined) return object
    return getRuntimeClass(context, attributes, runtimeClassName).then((found) =>
      withRuntimeClass(object, found, attributes),
    )
  },
  validate(attributes) {
    const { runtimeClassName } = podSpecOf(attributes.object)
    if (!runtimeClassName) return validateOverhead(attributes, undefined)
    return getRuntimeClass(context, attributes, runtimeClassName).then((found) =>
      validateOverhead(attributes, found),
    )
  },
})

async function getRuntimeClass(
  context: PluginContext,
  attributes: Attributes,
  name: string,
): Promise<RuntimeClass> {
  const path = `apis/node.${context.scheme.platform.api}/v1/runtimeclasses`
  const found = await getObject(context, path, name)
  if (found !== undefined) return found as RuntimeClass
  throw forbidden(attributes, `pod rejected: RuntimeClass ${goValue(name)} not found`)
}

/** A pod may state the overhead of its class, but no other one. */
function withRuntimeClass(
  pod: ApiObject,
  { overhead, scheduling }: RuntimeClass,
  attributes: Attributes,
): ApiObject {
  const spec = podSpecOf(pod)
  const podFixed = overhead?.podFixed
  if (podFixed && spec.overhead !== undefined && !deepEqual(spec.overhead, podFixed)) {
    throw forbidden(attributes, overheadMismatch)
  }
  return withPodSpec(pod, {
    ...(podFixed && { overhead: podFixed }),
    ...(scheduling && mergeScheduling(spec, scheduling, attributes)),
  })
}

/** The overhead of a pod has to be that of its class, and a pod without such a class has none. */
function validateOverhead(attributes: Attributes, found: RuntimeClass | undefined): void {
  const { overhead } = podSpecOf(attributes.object)
  if (found?.overhead !== undefined) {
    if (deepEqual(found.overhead.podFixed ?? {}, overhead ?? {})) return
    throw forbidden(attributes, overheadMismatch)
  }
  if (overhead === undefined || overhead === null) return
  throw forbidden(
    attributes,
    'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
  )
}

/** Node selectors of pod and class must agree where both have a key. */
function mergeScheduling(
  spec: Partial<PodSpec>,
  { nodeSelector, tolerations }: NonNullable<RuntimeClass['scheduling']>,
  attributes: Attributes,
): Partial<PodSpec> {
  for (const [key, value] of Object.entries(nodeSelector ?? {})) {
    const own = spec.nodeSelector?.[key]
    if (own === undefined || own === value) continue
    throw forbidden(
      attributes,
      `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`,
    )
  }
  return {
    ...(nodeSelector && { nodeSelector: { ...spec.nodeSelector, ...nodeSelector } }),
    ...(tolerations && { tolerations: mergeTolerations(spec.tolerations ?? [], tolerations) }),
  }
}

/**
 * Both lists without the tolerations that another one includes. Of equal ones the first stays. The
 * order is that of the pod, then that of the class.
 */
function mergeTolerations(
  first: readonly Toleration[],
  second: readonly Toleration[],
): readonly Toleration[] {
  const all = [...first, ...second]
  const kept: Toleration[] = []
  for (const [index, one] of all.entries()) {
    const includedLater = all
      .slice(index + 1)
      .some((other) => !deepEqual(one, other) && includes(other, one))
    if (!includedLater && !kept.some((other) => includes(other, one))) kept.push(one)
  }
  return kept
}

/** True if the first toleration tolerates every taint that the second does, and as long. */
function includes(wide: Toleration, narrow: Toleration): boolean {
  if (deepEqual(wide, narrow)) return true
  const { key = '', effect = '', operator = '', value = '', tolerationSeconds } = wide
  if (key !== (narrow.key ?? '') && (key !== '' || operator !== 'Exists')) return false
  if (effect !== '' && effect !== (narrow.effect ?? '')) return false
  if (effect === 'NoExecute' && tolerationSeconds !== undefined) {
    const seconds = narrow.tolerationSeconds ?? Number.POSITIVE_INFINITY
    if (seconds > tolerationSeconds) return false
  }
  if (operator === 'Exists') return true
  return narrow.operator === 'Equal' && (narrow.value ?? '') === value
}
