/** The templates that pods are made from. */
import type { FieldError } from '../../../kernel/validation/field-error.ts'
import { change } from '../../strategy/change.ts'
import type { Strategy } from '../../strategy/strategy.ts'
import { forbidden, unsupported } from '../../types/field-errors.ts'
import { checkLabels } from '../../types/label-selectors.ts'
import type { PodSpec, PodTemplate, Workload } from '../../types/shapes.ts'
import { defaultPodSpec } from './pod-defaults.ts'
import { checkPodSpec } from './pod-spec.ts'
import { templateWarnings } from './pod-warnings.ts'

const path = 'spec.template'

/** A template is a pod spec whose pods are restarted for ever. */
export const podTemplate: Strategy = {
  defaults(object) {
    const given = object as Workload
    const template = given.spec?.template
    if (template === undefined) return object
    return change(given, {
      spec: change(given.spec ?? {}, { template: defaultTemplate(template) }),
    })
  },
  warn(object, old) {
    const { spec } = object as Workload
    return templateWarnings(path, spec?.template, spec, (old as Workload | undefined)?.spec)
  },
  validate(object) {
    const template = (object as Workload).spec?.template
    if (template === undefined) return []
    const owner = object.kind === 'Deployment' ? 'ReplicaSet' : object.kind
    return [...checkTemplate(path, template), ...checkRestartsAlways(owner, template.spec ?? {})]
  },
}

/** A template with the defaults of its pod spec; the same one if nothing is missing. */
export function defaultTemplate(template: PodTemplate): PodTemplate {
  if (template.spec === undefined) return template
  return change(template, { spec: defaultPodSpec(template.spec) })
}

/** Everything wrong with a template, whoever makes pods from it. */
export function checkTemplate(
  path: string,
  { metadata, spec }: PodTemplate,
): readonly FieldError[] {
  const debug = 'ephemeral containers not allowed in pod template'
  const debugged = (spec?.ephemeralContainers ?? []).length > 0
  return [
    ...checkLabels(`${path}.metadata.labels`, metadata?.labels),
    ...checkPodSpec(`${path}.spec`, spec ?? {}),
    ...(debugged ? [forbidden(`${path}.spec.ephemeralContainers`, debug)] : []),
  ]
}

function checkRestartsAlways(owner: string, spec: PodSpec): readonly FieldError[] {
  const { restartPolicy = 'Always', activeDeadlineSeconds } = spec
  const deadline = `activeDeadlineSeconds in ${owner} is not Supported`
  const endless = restartPolicy === 'Always'
  return [
    ...(endless ? [] : [unsupported(`${path}.spec.restartPolicy`, restartPolicy, ['Always'])]),
    ...(activeDeadlineSeconds === undefined
      ? []
      : [forbidden(`${path}.spec.activeDeadlineSeconds`, deadline)]),
  ]
}
