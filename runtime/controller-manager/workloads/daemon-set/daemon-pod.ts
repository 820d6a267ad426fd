/** What the pods of a daemon set are made of. */
import type { DaemonSet } from '../../../../generated/apis/apps/v1/daemon-set.ts'
import type { Pod, PodSpec, PodTemplateSpec } from '../../../../generated/apis/core/v1/pod.ts'
import type { Toleration } from '../../../../generated/apis/core/v1/scheduling.ts'
import type { Draft } from '../../../client/client.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import { ownedBy } from '../../../reconcile/reconcile.ts'
import { podFromTemplate } from '../../pods/pod-from-template.ts'

/** A daemon set as the server has it. */
export type StoredDaemonSet = Stored<DaemonSet>

/** The label that has the hash of the revision that a pod is of. */
export const hashLabel = 'controller-revision-hash'

/** The label that has the number of the template that a pod is of. */
const generationLabel = 'pod-template-generation'

/** The pod for a node: it tolerates what is wrong with nodes, and no other node will do. */
export function podForNode(
  set: StoredDaemonSet,
  node: string,
  hash: string,
  domain: string,
): Draft<Pod> {
  const { metadata, spec } = set.spec?.template ?? ({} as Partial<PodTemplateSpec>)
  const generation = generationOf(set)
  const labels = {
    ...metadata?.labels,
    ...(generation !== undefined && { [generationLabel]: generation }),
    [hashLabel]: hash,
  }
  const tolerant = daemonSpec(spec as PodSpec, domain)
  const template = { metadata: { ...metadata, labels }, spec: onNode(tolerant, node) }
  return podFromTemplate(template, ownedBy(set))
}

/** The spec of a template with the tolerations that every pod of a daemon set has. */
export function daemonSpec(spec: PodSpec, domain: string): PodSpec {
  const exists = (key: string, effect: string): Toleration => ({
    ...{ key: `node.${domain}/${key}`, operator: 'Exists', effect: effect as 'NoExecute' },
  })
  const own = [
    ...['not-ready', 'unreachable'].map((key) => exists(key, 'NoExecute')),
    ...pressures.map((key) => exists(key, 'NoSchedule')),
    ...(spec.hostNetwork === true ? [exists('network-unavailable', 'NoSchedule')] : []),
  ]
  return { ...spec, tolerations: own.reduce(withToleration, spec.tolerations ?? []) }
}

const pressures = ['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable']

/** With a toleration, in place of one that differs from it in how long it lasts only. */
function withToleration(all: readonly Toleration[], one: Toleration): readonly Toleration[] {
  const isSame = ({ tolerationSeconds: _, value = '', ...rest }: Toleration) =>
    value === '' && deepEqual(rest, one)
  if (!all.some(isSame)) return [...all, one]
  return all.map((other) => (isSame(other) ? one : other))
}

function onNode(spec: PodSpec, node: string): PodSpec {
  const { affinity } = spec
  const term = { matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] } as const
  const nodeAffinity = {
    ...affinity?.nodeAffinity,
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] },
  }
  return { ...spec, affinity: { ...affinity, nodeAffinity } }
}

/** The node that a pod is on, or is meant for; undefined for one that says neither. */
export function nodeOf({ spec }: Pod): string | undefined {
  if ((spec?.nodeName ?? '') !== '') return spec?.nodeName
  const terms =
    spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
      ?.nodeSelectorTerms ?? []
  const fields = terms.flatMap(({ matchFields = [] }) => matchFields)
  const byName = fields.find(({ key, operator }) => key === 'metadata.name' && operator === 'In')
  return byName?.values?.length === 1 ? byName.values[0] : undefined
}

/** True for a pod of the set's present template. */
export function isUpdated({ metadata }: Pod, set: StoredDaemonSet, hash: string): boolean {
  const { labels } = metadata
  const generation = generationOf(set)
  const isOfGeneration = generation !== undefined && labels?.[generationLabel] === generation
  return (hash !== '' && labels?.[hashLabel] === hash) || isOfGeneration
}

/** The number of the template; undefined for one that is no number. */
function generationOf({ metadata }: StoredDaemonSet): string | undefined {
  const text = metadata.annotations?.['deprecated.daemonset.template.generation'] ?? ''
  return /^[+-]?[0-9]{1,18}$/.test(text) ? String(Number(text)) : undefined
}
