import type { PriorityClass } from '../../generated/apis/scheduling/v1.ts'
import { isResource, type Subject } from './attempt.ts'
import type { PluginFactory } from './plugin.ts'
import { isPod, specOf, withSpec } from './pods.ts'
import { forbidden } from './refusal.ts'
import { objectAt, objectsAt, type World } from './world.ts'

/** A pod's priority is what its class says, and there is one default class at most (supplement Q-17). */
export const priority: PluginFactory = (world) => {
  const { api } = world.tree.platform
  const group = `scheduling.${api}`
  const classes = `apis/${group}/v1/priorityclasses`
  return {
    handles: (place) =>
      (place.operation === 'CREATE' || place.operation === 'UPDATE') &&
      (isPod(place) || isResource(place, group, 'priorityclasses')),
    mutate(subject) {
      if (!isPod(subject) || subject.object === undefined) return subject.object
      return subject.operation === 'CREATE' ? resolved(world, classes, subject) : keptOf(subject)
    },
    validate(subject) {
      const { object, operation } = subject
      if (isPod(subject) || object === undefined) return
      if (!(object as PriorityClass).globalDefault) return
      const other = defaultOf(world, classes)
      const again = operation === 'CREATE' || other?.metadata.name !== object.metadata.name
      if (other === undefined || !again) return
      const why = `PriorityClass ${other.metadata.name} is already marked as default. Only one default can exist`
      throw forbidden(subject, why)
    },
  }
}

/** What was resolved once is not lost because a later request leaves it out. */
function keptOf({ object, old }: Subject) {
  if (object === undefined) return undefined
  const [now, before] = [specOf(object), specOf(old)]
  const fields = {
    ...(now.priority === undefined &&
      before.priority !== undefined && { priority: before.priority }),
    ...(now.preemptionPolicy === undefined &&
      before.preemptionPolicy !== undefined && { preemptionPolicy: before.preemptionPolicy }),
  }
  return Object.keys(fields).length === 0 ? object : withSpec(object, fields)
}

function resolved(world: World, classes: string, subject: Subject) {
  const { priorityClassName: name } = specOf(subject.object)
  if (!name) return prioritised(subject, defaultOf(world, classes))
  return objectAt(world, classes, name).then((found) => {
    if (found !== undefined) return prioritised(subject, found as PriorityClass)
    throw forbidden(subject, `no PriorityClass with name ${name} was found`)
  })
}

function prioritised(subject: Subject, found: PriorityClass | undefined) {
  const { object } = subject
  if (object === undefined) return undefined
  const spec = specOf(object)
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
  return withSpec(object, {
    ...(name && { priorityClassName: name }),
    priority: value,
    ...(policy && { preemptionPolicy: policy }),
  })
}

/** Of several classes that call themselves the default, the least. */
function defaultOf(world: World, classes: string): PriorityClass | undefined {
  const all = objectsAt(world, classes) as readonly PriorityClass[]
  return all
    .filter(({ globalDefault }) => globalDefault)
    .reduce<PriorityClass | undefined>(
      (least, one) => (least === undefined || one.value < least.value ? one : least),
      undefined,
    )
}
