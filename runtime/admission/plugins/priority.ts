import type { PriorityClass } from '../../../generated/apis/scheduling/v1.ts'
import { type Attributes, isResource } from '../chain/attributes.ts'
import { forbidden } from '../chain/errors.ts'
import type { PluginFactory } from '../chain/plugin.ts'
import { getObject, listObjects, type PluginContext } from '../chain/plugin-context.ts'
import { isPodWrite, podSpecOf, withPodSpec } from './pods/pod-spec.ts'

/** A pod's priority is what its class says, and there is one default class at most (supplement Q-17). */
export const priority: PluginFactory = (world) => {
  const { api } = world.scheme.platform
  const group = `scheduling.${api}`
  const classes = `apis/${group}/v1/priorityclasses`
  return {
    handles: (place) =>
      (place.operation === 'CREATE' || place.operation === 'UPDATE') &&
      (isPodWrite(place) || isResource(place, group, 'priorityclasses')),
    mutate(subject) {
      if (!isPodWrite(subject) || subject.object === undefined) return subject.object
      return subject.operation === 'CREATE'
        ? resolvePriority(world, classes, subject)
        : keepOldPriority(subject)
    },
    validate(subject) {
      const { object, operation } = subject
      if (isPodWrite(subject) || object === undefined) return
      if (!(object as PriorityClass).globalDefault) return
      const other = defaultPriorityClass(world, classes)
      const again = operation === 'CREATE' || other?.metadata.name !== object.metadata.name
      if (other === undefined || !again) return
      const why = `PriorityClass ${other.metadata.name} is already marked as default. Only one default can exist`
      throw forbidden(subject, why)
    },
  }
}

/** What was resolved once is not lost because a later request leaves it out. */
function keepOldPriority({ object, old }: Attributes) {
  if (object === undefined) return undefined
  const [now, before] = [podSpecOf(object), podSpecOf(old)]
  const fields = {
    ...(now.priority === undefined &&
      before.priority !== undefined && { priority: before.priority }),
    ...(now.preemptionPolicy === undefined &&
      before.preemptionPolicy !== undefined && { preemptionPolicy: before.preemptionPolicy }),
  }
  return Object.keys(fields).length === 0 ? object : withPodSpec(object, fields)
}

function resolvePriority(world: PluginContext, classes: string, subject: Attributes) {
  const { priorityClassName: name } = podSpecOf(subject.object)
  if (!name) return withPriority(subject, defaultPriorityClass(world, classes))
  return getObject(world, classes, name).then((found) => {
    if (found !== undefined) return withPriority(subject, found as PriorityClass)
    throw forbidden(subject, `no PriorityClass with name ${name} was found`)
  })
}

function withPriority(subject: Attributes, found: PriorityClass | undefined) {
  const { object } = subject
  if (object === undefined) return undefined
  const spec = podSpecOf(object)
  const value = found?.value ?? 0
  const policy = found === undefined ? 'PreemptLowerPriority' : found.preemptionPolicy
  const computed = 'priority admission controller computed'
  if (spec.priority !== undefined && spec.priority !== value) {
    throw forbidden(
      subject,
      `the integer value of priority (${spec.priority}) must not be provided in pod spec; ${computed} ${value} from the given PriorityClass name`,
    )
  }
  if (policy && spec.preemptionPolicy && spec.preemptionPolicy !== policy) {
    throw forbidden(
      subject,
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; ${computed} ${policy} from the given PriorityClass name`,
    )
  }
  const name = found?.metadata.name
  const settled =
    spec.priority === value &&
    (!name || spec.priorityClassName === name) &&
    (!policy || spec.preemptionPolicy === policy)
  if (settled) return object
  return withPodSpec(object, {
    ...(name && { priorityClassName: name }),
    priority: value,
    ...(policy && { preemptionPolicy: policy }),
  })
}

/** Of several classes that call themselves the default, the least. */
function defaultPriorityClass(world: PluginContext, classes: string): PriorityClass | undefined {
  const all = listObjects(world, classes) as readonly PriorityClass[]
  return all
    .filter(({ globalDefault }) => globalDefault)
    .reduce<PriorityClass | undefined>(
      (least, one) => (least === undefined || one.value < least.value ? one : least),
      undefined,
    )
}
