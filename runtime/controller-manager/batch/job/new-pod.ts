/** The pods that a job makes. */
import type { Job } from '../../../../generated/apis/batch/v1/job.ts'
import type { Container } from '../../../../generated/apis/core/v1/container.ts'
import type { Pod, PodTemplateSpec } from '../../../../generated/apis/core/v1/pod.ts'
import type { Draft } from '../../../client/client.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { ownedBy } from '../../../reconcile/reconcile.ts'
import { podFromTemplate } from '../../pods/pod-from-template.ts'
import {
  failuresBefore,
  ignoredBefore,
  isIndexed,
  type JobRules,
  limitPerIndex,
} from './job-rules.ts'
import { judgeFailure } from './pod-failures.ts'

/** The most characters of a name before the random ones that the server adds. */
const longestPrefix = 58

const indexVariable = 'JOB_COMPLETION_INDEX'

/** The pod that a job makes for an index, or for no index in particular; `replaced` failed with this index. */
export function newPod(
  job: Stored<Job>,
  index: number | undefined,
  replaced: Stored<Pod> | undefined,
  rules: JobRules,
): Draft<Pod> {
  const template = withVariable(job, rules)
  const draft = podFromTemplate(template, ownedBy(job))
  const { metadata } = draft
  const finalizers = [...new Set([...(metadata.finalizers ?? []), rules.finalizer])]
  if (index === undefined) return { ...draft, metadata: { ...metadata, finalizers } }
  const label = rules.gates.has('PodIndexLabel') && { [rules.index]: `${index}` }
  return {
    ...draft,
    metadata: {
      ...{ ...metadata, finalizers, generateName: prefixOf(job.metadata.name, index) },
      labels: { ...metadata.labels, ...label },
      annotations: {
        ...metadata.annotations,
        [rules.index]: `${index}`,
        ...(limitPerIndex(job, rules) !== undefined && failureCounts(job, replaced, rules)),
      },
    },
    ...(template.spec && {
      spec: { ...template.spec, hostname: `${job.metadata.name}-${index}` },
    }),
  }
}

function prefixOf(name: string, index: number): string {
  const end = `-${index}-`
  return `${name.slice(0, longestPrefix - end.length)}${end}`
}

/** How many pods of an index have failed when this one is made. */
function failureCounts(job: Job, replaced: Stored<Pod> | undefined, rules: JobRules) {
  if (replaced === undefined) return { [rules.failures]: '0' }
  const { counts } = judgeFailure(replaced, job, rules)
  const ignored = ignoredBefore(replaced, rules) + (counts ? 0 : 1)
  return {
    [rules.failures]: `${failuresBefore(replaced, rules) + (counts ? 1 : 0)}`,
    ...(ignored > 0 && { [rules.ignoredFailures]: `${ignored}` }),
  }
}

/** The template of a job; containers of an indexed one know their index. */
function withVariable(job: Job, rules: JobRules): PodTemplateSpec {
  const template = job.spec?.template ?? {}
  const { spec } = template
  if (!isIndexed(job) || spec === undefined) return template
  const map = rules.gates.has('PodIndexLabel') ? 'labels' : 'annotations'
  const fieldRef = { fieldPath: `metadata.${map}['${rules.index}']` }
  const add = <C extends Pick<Container, 'env'>>(container: C): C => {
    const { env = [] } = container
    if (env.some(({ name }) => name === indexVariable)) return container
    return { ...container, env: [...env, { name: indexVariable, valueFrom: { fieldRef } }] }
  }
  const { containers, initContainers } = spec
  return {
    ...template,
    spec: {
      ...{ ...spec, containers: containers.map(add) },
      ...(initContainers && { initContainers: initContainers.map(add) }),
    },
  }
}
