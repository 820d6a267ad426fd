/** What of a pod's spec may change after it was created. */
import type { Container } from '../../../../generated/apis/core/v1/container.ts'
import type { PodSpec } from '../../../../generated/apis/core/v1/pod.ts'
import type { Toleration } from '../../../../generated/apis/core/v1/scheduling.ts'
import { difference } from '../../../kernel/validation/difference.ts'
import { formatValue } from '../../../kernel/validation/report.ts'
import { change } from '../../../kernel/values/change.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import type { Field } from '../../../kernel/walker/field.ts'
import type { Loose } from '../../../kernel/walker/loose.ts'
import { qosClassOf } from './qos-class.ts'

type Spec = Loose<PodSpec>
type Containers = Loose<readonly Container[]> | undefined

const changeable = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',')

/**
 * Reports everything that a new spec may not change of the old one.
 * Lists of containers of another length have that error alone, since nothing in them could be
 * compared. Otherwise the order is deadline, gates, tolerations, the quality class, and one error at the spec for
 * all the rest, with the difference (supplement I-03).
 */
export function checkPodUpdate(spec: Field<PodSpec>, old: Spec): void {
  const resized = (['containers', 'initContainers'] as const).filter(
    (list) => (spec.value[list]?.length ?? 0) !== (old[list]?.length ?? 0),
  )
  for (const list of resized) {
    spec.forbidden(list, 'pod updates may not add or remove containers')
  }
  if (resized.length > 0) return
  checkDeadline(spec, old.activeDeadlineSeconds)
  checkGates(spec, old)
  checkTolerations(spec, old)
  const quality = qosClassOf(old)
  if (qosClassOf(spec.value) !== quality) spec.invalid('', 'Pod QoS is immutable', quality)
  checkRest(spec, old)
}

/**
 * Ephemeral containers are added, never changed or taken away.
 * They are found by name, so their order may change (supplement I-04).
 */
export function checkEphemeral(spec: Field<PodSpec>, old: Spec): void {
  for (const before of old.ephemeralContainers ?? []) {
    const { name = '' } = before
    const after = spec.value.ephemeralContainers?.find((container) => container.name === name)
    if (after !== undefined && deepEqual(after, before)) continue
    const what = after === undefined ? 'removed' : 'changed'
    const why = `existing ephemeral containers ${formatValue(name)} may not be ${what}`
    spec.forbidden('ephemeralContainers', after === undefined ? `${why}\n` : why)
  }
}

/** A deadline may be set and brought forward. */
function checkDeadline(spec: Field<PodSpec>, old: number | undefined): void {
  const { activeDeadlineSeconds: deadline } = spec.value
  if (old === undefined || deadline === old) return
  if (deadline === undefined) {
    const why = 'must not update from a positive integer to nil value'
    spec.invalid('activeDeadlineSeconds', why, null)
  } else if (deadline > old) {
    spec.invalid('activeDeadlineSeconds', 'must be less than or equal to previous value')
  }
}

/** Gates go one by one, in any order; once gone, none comes back. */
function checkGates(spec: Field<PodSpec>, old: Spec): void {
  const known = new Set(old.schedulingGates?.map(({ name }) => name))
  spec.each('schedulingGates', (gate) => {
    const { name } = gate.value
    if (known.has(name)) return
    gate.forbidden('', `only deletion is allowed, but found new scheduling gate '${name}'`)
  })
}

/**
 * Tolerations may be added, and their seconds may change; none goes away. An old spec without any
 * allows all.
 */
function checkTolerations(spec: Field<PodSpec>, old: Spec): void {
  const lasting = (toleration: Loose<Toleration>) =>
    formatValue({ ...toleration, tolerationSeconds: undefined })
  const now = new Set(spec.value.tolerations?.map(lasting))
  if (old.tolerations?.every((toleration) => now.has(lasting(toleration))) !== false) return
  const why = 'existing toleration can not be modified except its tolerationSeconds'
  spec.forbidden('tolerations', why)
}

function checkRest(spec: Field<PodSpec>, old: Spec): void {
  const allowed = withAllowed(spec.value, old)
  if (deepEqual(allowed, old)) return
  const why = `pod updates may not change fields other than ${changeable}`
  spec.forbidden('', `${why}\n${difference(old, allowed)}`)
}

/** The new spec with the old values of whatever may change: what differs now may not. */
function withAllowed(spec: Spec, old: Spec): Spec {
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
