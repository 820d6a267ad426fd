/** What of a pod's spec may change after it was created. */

import type { FieldError } from '../../../kernel/validation/field-error.ts'
import { formatValue } from '../../../kernel/validation/report.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import { change } from '../../strategy/change.ts'
import { difference } from '../../types/difference.ts'
import { forbidden, invalid } from '../../types/field-errors.ts'
import type { Container, List, PodSpec, Toleration } from '../../types/shapes.ts'

const changeable = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',')

/** Everything that a new spec may not change of the old one. */
export function checkPodUpdate(spec: PodSpec, old: PodSpec): readonly FieldError[] {
  const counts = [
    ...checkCount('spec.containers', spec.containers, old.containers),
    ...checkCount('spec.initContainers', spec.initContainers, old.initContainers),
  ]
  if (counts.length > 0) return counts
  return [
    ...checkDeadline(spec.activeDeadlineSeconds, old.activeDeadlineSeconds),
    ...checkGates(spec, old),
    ...checkTolerations(spec, old),
    ...checkRest(spec, old),
  ]
}

/** Ephemeral containers are added, never changed or taken away. */
export function checkEphemeral(
  containers: readonly Container[],
  old: readonly Container[],
): readonly FieldError[] {
  const path = 'spec.ephemeralContainers'
  return old.flatMap((before) => {
    const { name } = before
    const after = containers.find((container) => container.name === name)
    if (after !== undefined && deepEqual(after, before)) return []
    const what = after === undefined ? 'removed' : 'changed'
    const why = `existing ephemeral containers ${formatValue(name ?? '')} may not be ${what}`
    return [forbidden(path, after === undefined ? `${why}\n` : why)]
  })
}

type Containers = List<Container> | undefined

function checkCount(path: string, containers: Containers, old: Containers): readonly FieldError[] {
  if ((containers?.length ?? 0) === (old?.length ?? 0)) return []
  return [forbidden(path, 'pod updates may not add or remove containers')]
}

/** A deadline may be set and brought forward. */
function checkDeadline(
  deadline: number | undefined,
  old: number | undefined,
): readonly FieldError[] {
  const path = 'spec.activeDeadlineSeconds'
  if (old === undefined || deadline === old) return []
  if (deadline === undefined) {
    return [invalid(path, null, 'must not update from a positive integer to nil value')]
  }
  const later = deadline > old
  return later ? [invalid(path, deadline, 'must be less than or equal to previous value')] : []
}

function checkGates(spec: PodSpec, old: PodSpec): readonly FieldError[] {
  const known = new Set(old.schedulingGates?.map(({ name }) => name))
  return (spec.schedulingGates ?? []).flatMap(({ name }, index) =>
    known.has(name)
      ? []
      : [
          forbidden(
            `spec.schedulingGates[${index}]`,
            `only deletion is allowed, but found new scheduling gate '${name}'`,
          ),
        ],
  )
}

function checkTolerations(spec: PodSpec, old: PodSpec): readonly FieldError[] {
  const lasting = (toleration: Toleration) =>
    formatValue({ ...toleration, tolerationSeconds: undefined })
  const now = new Set(spec.tolerations?.map(lasting))
  const kept = (old.tolerations ?? []).every((toleration) => now.has(lasting(toleration)))
  const why = 'existing toleration can not be modified except its tolerationSeconds'
  return kept ? [] : [forbidden('spec.tolerations', why)]
}

function checkRest(spec: PodSpec, old: PodSpec): readonly FieldError[] {
  const allowed = withAllowed(spec, old)
  if (deepEqual(allowed, old)) return []
  const why = `pod updates may not change fields other than ${changeable}`
  return [forbidden('spec', `${why}\n${difference(old, allowed)}`)]
}

/** The new spec with the old values of whatever may change: what differs now may not. */
function withAllowed(spec: PodSpec, old: PodSpec): PodSpec {
  const { terminationGracePeriodSeconds: grace = 0 } = old
  const mended = grace < 0 && spec.terminationGracePeriodSeconds === 1
  return change(spec, {
    containers: withImages(spec.containers, old.containers),
    initContainers: withImages(spec.initContainers, old.initContainers),
    activeDeadlineSeconds: old.activeDeadlineSeconds,
    tolerations: old.tolerations,
    schedulingGates: old.schedulingGates,
    ...(mended && { terminationGracePeriodSeconds: grace }),
  })
}

function withImages(containers: Containers, old: Containers): Containers {
  return containers?.map((container, index) => change(container, { image: old?.[index]?.image }))
}
