/** The templates that pods are made from. */
import type { DeploymentSpec } from '../../../../generated/apis/apps/v1/deployment.ts'
import type { PodTemplateSpec } from '../../../../generated/apis/core/v1/pod.ts'
import {
  annotationBytes,
  annotationKeyProblems,
  mostAnnotationBytes,
} from '../../../kernel/meta/annotations.ts'
import { change } from '../../../kernel/values/change.ts'
import { type Check, errorsOf, type Field } from '../../../kernel/walker/field.ts'
import type { Loose, LooseObject } from '../../../kernel/walker/loose.ts'
import type { Strategy } from '../../strategy/strategy.ts'
import { labels } from '../../types/formats.ts'
import { isUnusable } from '../../types/label-selectors.ts'
import { podAnnotationProblems } from './pod-annotations.ts'
import { defaultPodSpec } from './pod-defaults.ts'
import { hostnameWarnings, templateWarnings } from './pod-warnings.ts'

/** What the kinds that keep pods running have in common. */
interface Workload {
  readonly kind: string
  readonly spec?: Pick<DeploymentSpec, 'selector' | 'template'>
}

/** The kinds whose names begin the names of their pods, and may be longer or have dots. */
const namesPods: ReadonlySet<string> = new Set([
  'Deployment',
  'ReplicaSet',
  'ReplicationController',
])

/** A template of a kind that keeps pods running: they are restarted for ever. */
export const podTemplate: Strategy<Workload> = {
  defaults(object) {
    const { spec } = object
    if (spec?.template === undefined) return object
    return change(object, { spec: change(spec, { template: defaultTemplate(spec.template) }) })
  },
  warn(object, old, { platform }) {
    const { kind, metadata, spec } = object
    const named = old === undefined && namesPods.has(kind ?? '')
    const [now, before] = [object, old].map((one) => one && countedParts(one))
    return [
      ...(named ? hostnameWarnings(metadata?.name) : []),
      ...templateWarnings('spec.template', spec?.template, platform.domain, now, before),
    ]
  },
  check(object) {
    const spec = object.child('spec')
    if (skipsTemplate.has(object.value.kind ?? '') && isSelectorUnusable(spec.value)) {
      return spec.passOver('template')
    }
    spec.visit('template')
    checkUnending(object)
  },
}

/** Whose changes the generation counts: of a DaemonSet the template alone, of a Deployment its annotations, too. */
function countedParts({ kind, metadata, spec }: LooseObject<Workload>): unknown {
  if (kind === 'DaemonSet') return spec?.template
  return kind === 'Deployment' ? [spec, metadata?.annotations ?? {}] : spec
}

/** The kinds whose template is judged as that of pods that the selector selects, and not at all if there are no such pods. */
const skipsTemplate: ReadonlySet<string> = new Set(['Deployment', 'ReplicaSet'])

function isSelectorUnusable({ selector }: Loose<NonNullable<Workload['spec']>>): boolean {
  return !Array.isArray(selector) && typeof selector === 'object' && isUnusable(selector)
}

/**
 * The same where the pods are judged only when they are made, because what they mount may not be in the template: claims
 * that are made for each of them. Of the template its metadata counts.
 */
export const claimingTemplate: Strategy<Workload> = {
  ...podTemplate,
  check(object) {
    const spec = object.child('spec')
    if (!isSelectorUnusable(spec.value)) checkTemplateMetadata(spec.child('template'))
    checkUnending(object)
  },
}

/** The pods of the template do not end by themselves. */
function checkUnending(object: Field<Workload>): void {
  const { kind } = object.value
  const template = object.child('spec').child('template')
  const pods = template.child('spec')
  const { restartPolicy = 'Always', activeDeadlineSeconds } = pods.value
  template.afterwards(() => {
    if (restartPolicy !== 'Always') pods.unsupported('restartPolicy', ['Always'])
    if (activeDeadlineSeconds === undefined) return
    const owner = kind === 'Deployment' ? 'ReplicaSet' : kind
    pods.forbidden('activeDeadlineSeconds', `activeDeadlineSeconds in ${owner} is not Supported`)
  })
}

/** A template with the defaults of its pod spec; the same one if nothing is missing. */
export function defaultTemplate(template: Loose<PodTemplateSpec>): Loose<PodTemplateSpec> {
  if (template.spec === undefined) return template
  return change(template, { spec: defaultPodSpec(template.spec) })
}

/** Labels and annotations of the pods; errors stand where clients of this release find them. */
function checkTemplateMetadata(template: Field<PodTemplateSpec>): void {
  const metadata = template.child('metadata')
  const { annotations: given = {} } = metadata.value
  template.report(...errorsOf(labels, metadata.child('labels').value, template.path('labels')))
  const at = 'annotations' as 'metadata'
  for (const key of Object.keys(given)) {
    template.invalidAll(at, annotationKeyProblems(key), key)
  }
  if (annotationBytes(given) > mostAnnotationBytes) template.tooLong(at, mostAnnotationBytes)
  for (const { at: place, value, why } of podAnnotationProblems(given, template.value.spec)) {
    template.invalid(`${at}${place}` as 'metadata', why, value)
  }
}

/** What holds for a template, whatever makes pods from it. */
export const podTemplateSpec: Check<PodTemplateSpec> = (template) => {
  const { spec } = template.value
  checkTemplateMetadata(template)
  template.visit('spec')
  if (spec?.ephemeralContainers?.length) {
    const why = 'ephemeral containers not allowed in pod template'
    template.afterwards(() => template.forbidden('spec.ephemeralContainers', why))
  }
}
