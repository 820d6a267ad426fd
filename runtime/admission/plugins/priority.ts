import type { PriorityClass } from '../../../generated/apis/scheduling/v1.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import { type Attributes, isResource, isWrite } from '../chain/attributes.ts'
import { forbidden } from '../chain/errors.ts'
import type { PluginFactory } from '../chain/plugin.ts'
import { getObject, listObjects, type PluginContext } from '../chain/plugin-context.ts'
import { isPodRequest, podSpecOf, withPodSpec } from './pods/pod-spec.ts'

/** Priority sets the priority of pods by their class, and admits one default class at most (supplement Q-17). */
export const priority: PluginFactory = (context) => {
  const group = `scheduling.${context.scheme.platform.api}`
  const path = `apis/${group}/v1/priorityclasses`
  return {
    handles: (request) =>
      isWrite(request) && (isPodRequest(request) || isResource(request, group, 'priorityclasses')),
    mutate(attributes) {
      const { object } = attributes
      if (object === undefined || !isPodRequest(attributes)) return object
      if (attributes.operation === 'UPDATE') return keepOldPriority(object, attributes.oldObject)
      return resolvePriority(context, path, object, attributes)
    },
    validate(attributes) {
      if (!isPodRequest(attributes)) validateClass(context, path, attributes)
    },
  }
}

/** Rejects a second default class. */
function validateClass(context: PluginContext, path: string, attributes: Attributes): void {
  const { object, operation } = attributes
  if (!(object as PriorityClass | undefined)?.globalDefault) return
  const current = defaultPriorityClass(context, path)
  if (current === undefined) return
  if (operation === 'UPDATE' && current.metadata.name === object?.metadata.name) return
  throw forbidden(
    attributes,
    `PriorityClass ${current.metadata.name} is already marked as default. Only one default can exist`,
  )
}

/** Keeps the resolved fields when an update leaves them out, as clients with an older schema do. */
function keepOldPriority(object: ApiObject, oldObject: ApiObject | undefined): ApiObject {
  const [spec, oldSpec] = [podSpecOf(object), podSpecOf(oldObject)]
  const kept = {
    ...(spec.priority === undefined &&
      oldSpec.priority !== undefined && { priority: oldSpec.priority }),
    ...(spec.preemptionPolicy === undefined &&
      oldSpec.preemptionPolicy !== undefined && { preemptionPolicy: oldSpec.preemptionPolicy }),
  }
  return Object.keys(kept).length === 0 ? object : withPodSpec(object, kept)
}

/** Synchronous for pods without a class name: the default class is in the watch cache. */
function resolvePriority(
  context: PluginContext,
  path: string,
  pod: ApiObject,
  attributes: Attributes,
): ApiObject | Promise<ApiObject> {
  const { priorityClassName: name } = podSpecOf(pod)
  if (!name) return withPriority(pod, defaultPriorityClass(context, path), attributes)
  return getObject(context, path, name).then((found) => {
    if (found === undefined) {
      throw forbidden(attributes, `no PriorityClass with name ${name} was found`)
    }
    return withPriority(pod, found as PriorityClass, attributes)
  })
}

/** The pod with the fields of its class; without a class the priority is 0. */
function withPriority(
  pod: ApiObject,
  found: PriorityClass | undefined,
  attributes: Attributes,
): ApiObject {
  const spec = podSpecOf(pod)
  const value = found?.value ?? 0
  const policy = found === undefined ? 'PreemptLowerPriority' : found.preemptionPolicy
  checkComputed(attributes, ['integer value of priority', spec.priority], value)
  if (policy) {
    checkComputed(
      attributes,
      ['string value of PreemptionPolicy', spec.preemptionPolicy || undefined],
      policy,
    )
  }
  const name = found?.metadata.name
  const isSet =
    spec.priority === value &&
    (!name || spec.priorityClassName === name) &&
    (!policy || spec.preemptionPolicy === policy)
  if (isSet) return pod
  return withPodSpec(pod, {
    ...(name && { priorityClassName: name }),
    priority: value,
    ...(policy && { preemptionPolicy: policy }),
  })
}

/** Rejects a pod that states another value than that of its class. */
function checkComputed(
  attributes: Attributes,
  [field, stated]: readonly [string, number | string | undefined],
  computed: number | string,
): void {
  if (stated === undefined || stated === computed) return
  throw forbidden(
    attributes,
    `the ${field} (${stated}) must not be provided in pod spec; priority admission controller computed ${computed} from the given PriorityClass name`,
  )
}

/** Of several default classes that with the lowest value. */
function defaultPriorityClass(context: PluginContext, path: string): PriorityClass | undefined {
  const classes = listObjects(context, path) as readonly PriorityClass[]
  return classes
    .filter(({ globalDefault }) => globalDefault)
    .reduce<PriorityClass | undefined>(
      (lowest, one) => (lowest === undefined || one.value < lowest.value ? one : lowest),
      undefined,
    )
}
