/** The templates that pods are made from. */
import type { DeploymentSpec } from '../../../../generated/apis/apps/v1/deployment.ts'
import type { PodTemplateSpec } from '../../../../generated/apis/core/v1/pod.ts'
import { change } from '../../../kernel/values/change.ts'
import type { Check } from '../../../kernel/walker/field.ts'
import type { Loose } from '../../../kernel/walker/loose.ts'
import type { Strategy } from '../../strategy/strategy.ts'
import { labels } from '../../types/formats.ts'
import { defaultPodSpec } from './pod-defaults.ts'
import { hostnameWarnings, templateWarnings } from './pod-warnings.ts'

/** What the kinds that keep pods running have in common. */
interface Workload {
  readonly kind: string
  readonly spec?: Pick<DeploymentSpec, 'template'>
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
  warn({ kind, metadata, spec }, old, { platform }) {
    const { domain } = platform
    const named = old === undefined && namesPods.has(kind ?? '')
    // A DaemonSet counts changes of its template alone.
    const [now, before] = [spec, old?.spec].map((one) =>
      kind === 'DaemonSet' ? one?.template : one,
    )
    return [
      ...(named ? hostnameWarnings(metadata?.name) : []),
      ...templateWarnings('spec.template', spec?.template, domain, now, before),
    ]
  },
  check(object) {
    const { kind } = object.value
    const spec = object.child('spec')
    spec.visit('template')
    const pods = spec.child('template').child('spec')
    const { restartPolicy = 'Always', activeDeadlineSeconds } = pods.value
    if (restartPolicy !== 'Always') pods.unsupported('restartPolicy', ['Always'])
    if (activeDeadlineSeconds === undefined) return
    const owner = kind === 'Deployment' ? 'ReplicaSet' : kind
    const why = `activeDeadlineSeconds in ${owner} is not Supported`
    pods.forbidden('activeDeadlineSeconds', why)
  },
}

/** A template with the defaults of its pod spec; the same one if nothing is missing. */
export function defaultTemplate(template: Loose<PodTemplateSpec>): Loose<PodTemplateSpec> {
  if (template.spec === undefined) return template
  return change(template, { spec: defaultPodSpec(template.spec) })
}

/** What holds for a template, whatever makes pods from it. */
export const podTemplateSpec: Check<PodTemplateSpec> = (template) => {
  const { spec } = template.value
  labels(template.child('metadata').child('labels'))
  template.visit('spec')
  if (spec?.ephemeralContainers?.length) {
    const why = 'ephemeral containers not allowed in pod template'
    template.forbidden('spec.ephemeralContainers', why)
  }
}
