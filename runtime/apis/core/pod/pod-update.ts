/** What of a pod's spec may change after it was created. */
import type { Container } from '../../../../generated/apis/core/v1/container.ts'
import type { Pod, PodSpec } from '../../../../generated/apis/core/v1/pod.ts'
import type { Toleration } from '../../../../generated/apis/core/v1/scheduling.ts'
import { difference } from '../../../kernel/validation/difference.ts'
import { invalid } from '../../../kernel/validation/field-errors.ts'
import { formatValue } from '../../../kernel/validation/report.ts'
import { change } from '../../../kernel/values/change.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import type { Field } from '../../../kernel/walker/field.ts'
import type { Loose } from '../../../kernel/walker/loose.ts'
import { qosClassOf } from '../../../pods/pods.ts'
import { checkPulledImage } from './container.ts'
import { toleration } from './tolerations.ts'

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
 * Reports everything that a new spec may not change of the old one, after all that is wrong with it.
 * A list of containers of another length has that error alone, since nothing in it could be
 * compared. Otherwise the order is images, deadline, tolerations, gates, the quality class, and one error at the spec for
 * all the rest, with the difference (supplement I-03). Images are judged again, and a deadline that is refused ends it.
 */
export function checkPodUpdate(pod: Field<Pod>, old: Spec): void {
  const spec = pod.child('spec')
  const quality = pod.old?.status?.qosClass ?? qosClassOf(old)
  spec.afterwards(() => {
    if (!keepsContainers(spec, old) || !keepsDeadline(spec, old.activeDeadlineSeconds)) return
    checkTolerations(spec, old)
    checkGates(spec, old)
    if (deepEqual(spec.value, old)) return
    const same = qosClassOf(spec.value) === quality
    if (!same) spec.report(invalid('metadata', quality, 'Pod QoS is immutable'))
    checkRest(spec, old)
  })
}

/** True if no container came or went. */
function keepsContainers(spec: Field<PodSpec>, old: Spec): boolean {
  return (['containers', 'initContainers'] as const).every((list) => {
    const same = (spec.value[list]?.length ?? 0) === (old[list]?.length ?? 0)
    if (same) spec.each(list, checkNewImage)
    else spec.forbidden(list, 'pod updates may not add or remove containers')
    return same
  })
}

function checkNewImage(container: Field<Container>): void {
  if (!container.value.image) container.required('image')
  checkPulledImage(container)
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

/** A deadline may be set and brought forward. False for one that ends the comparison. */
function keepsDeadline(spec: Field<PodSpec>, old: number | undefined): boolean {
  const { activeDeadlineSeconds: deadline } = spec.value
  if (deadline === undefined) {
    const why = 'must not update from a positive integer to nil value'
    if (old !== undefined) spec.invalid('activeDeadlineSeconds', why, null)
    return true
  }
  if (deadline < 0 || deadline > mostSeconds) {
    const why = `must be between 0 and ${mostSeconds}, inclusive`
    spec.invalid('activeDeadlineSeconds', why)
    return false
  }
  if (old === undefined || deadline <= old) return true
  spec.invalid('activeDeadlineSeconds', 'must be less than or equal to previous value')
  return false
}

const mostSeconds = 2147483647

/** Gates go one by one, in any order; once gone, none comes back. Of one that stands there twice the last place is told. */
function checkGates(spec: Field<PodSpec>, old: Spec): void {
  const known = new Set(old.schedulingGates?.map(({ name }) => name))
  const last = new Map(spec.value.schedulingGates?.map(({ name }, at) => [name, at]))
  spec.each('schedulingGates', (gate, at) => {
    const { name } = gate.value
    if (known.has(name) || last.get(name) !== at) return
    gate.forbidden('name', `only deletion is allowed, but found new scheduling gate '${name}'`)
  })
}

/**
 * Tolerations may be added, and their seconds may change; none goes away. An old spec without any
 * allows all. Where none went, all are judged again.
 */
function checkTolerations(spec: Field<PodSpec>, old: Spec): void {
  const lasting = (toleration: Loose<Toleration>) =>
    formatValue({ ...toleration, tolerationSeconds: undefined })
  const now = new Set(spec.value.tolerations?.map(lasting))
  const lost = old.tolerations?.every((toleration) => now.has(lasting(toleration))) === false
  const why = 'existing toleration can not be modified except its tolerationSeconds'
  if (lost) spec.forbidden('tolerations', why)
  else spec.again(() => spec.each('tolerations', toleration))
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
