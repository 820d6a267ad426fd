/** The template that Deployments and ReplicaSets make pods from. */
import type { Finding } from '../kernel/read.ts'
import { change } from './change.ts'
import { forbidden, unsupported } from './findings.ts'
import type { Rule } from './kinds.ts'
import { defaultPodSpec } from './pod-defaults.ts'
import { checkPodSpec } from './pod-spec.ts'
import { checkLabels } from './selectors.ts'
import type { PodSpec, Workload } from './shapes.ts'

const path = 'spec.template'

/** A template is a pod spec whose pods are restarted for ever. */
export const podTemplate: Rule = {
  defaults(object) {
    const given = object as Workload
    const template = given.spec?.template
    if (template?.spec === undefined) return object
    const filled = change(template, { spec: defaultPodSpec(template.spec) })
    return change(given, { spec: change(given.spec ?? {}, { template: filled }) })
  },
  validate(object) {
    const template = (object as Workload).spec?.template
    if (template === undefined) return []
    return [
      ...checkLabels(`${path}.metadata.labels`, template.metadata?.labels),
      ...checkPodSpec(`${path}.spec`, template.spec ?? {}),
      ...checkEndless(template.spec ?? {}),
    ]
  },
}

function checkEndless(spec: PodSpec): readonly Finding[] {
  const { restartPolicy = 'Always', activeDeadlineSeconds, ephemeralContainers } = spec
  const deadline = 'activeDeadlineSeconds in ReplicaSet is not Supported'
  const debug = 'ephemeral containers not allowed in pod template'
  const endless = restartPolicy === 'Always'
  return [
    ...(endless ? [] : [unsupported(`${path}.spec.restartPolicy`, restartPolicy, ['Always'])]),
    ...(activeDeadlineSeconds === undefined
      ? []
      : [forbidden(`${path}.spec.activeDeadlineSeconds`, deadline)]),
    ...((ephemeralContainers ?? []).length === 0
      ? []
      : [forbidden(`${path}.spec.ephemeralContainers`, debug)]),
  ]
}
