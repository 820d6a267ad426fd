import type { PodSpec } from '../../../generated/apis/core/v1/pod.ts'
import type { PodAffinityTerm } from '../../../generated/apis/core/v1/scheduling.ts'
import { type Labelled, type LabelSelection, selectionOf } from './label-selection.ts'

/** Which pods a term of pod affinity is about, and in which domains it counts. */
export interface AffinityTerm {
  readonly namespaces: ReadonlySet<string>
  /** Further namespaces, by their labels. */
  readonly namespaceSelection: LabelSelection
  readonly selection: LabelSelection
  readonly topologyKey: string
  /** 1 for a term that is required. */
  readonly weight: number
}

/** The terms of a pod. */
export interface AffinityTerms {
  readonly near: readonly AffinityTerm[]
  readonly apart: readonly AffinityTerm[]
  readonly preferNear: readonly AffinityTerm[]
  readonly preferApart: readonly AffinityTerm[]
}

const none: AffinityTerms = { near: [], apart: [], preferNear: [], preferApart: [] }

/** The terms of the pods of a spec and a namespace. */
export function affinityTermsOf({ affinity }: PodSpec, namespace: string): AffinityTerms {
  const { podAffinity, podAntiAffinity } = affinity ?? {}
  if (podAffinity === undefined && podAntiAffinity === undefined) return none
  const required = (terms: readonly PodAffinityTerm[] = []) =>
    terms.map((term) => termOf(term, 1, namespace))
  const preferred = (side: typeof podAffinity) =>
    (side?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(
      ({ weight, podAffinityTerm }) => termOf(podAffinityTerm, weight, namespace),
    )
  return {
    near: required(podAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    apart: required(podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    preferNear: preferred(podAffinity),
    preferApart: preferred(podAntiAffinity),
  }
}

function termOf(
  { labelSelector, namespaces = [], namespaceSelector, topologyKey }: PodAffinityTerm,
  weight: number,
  namespace: string,
): AffinityTerm {
  const own = namespaces.length === 0 && namespaceSelector === undefined
  return {
    namespaces: new Set(own ? [namespace] : namespaces),
    namespaceSelection: selectionOf(namespaceSelector),
    selection: selectionOf(labelSelector),
    ...{ topologyKey, weight },
  }
}

/** The labels of a namespace by its name. */
export type NamespaceLabels = (namespace: string) => Readonly<Record<string, string>>

/** True for pods that a term is about. */
export function termMatches(
  { namespaces, namespaceSelection, selection }: AffinityTerm,
  pods: Labelled,
  labelsOf: NamespaceLabels,
): boolean {
  const isThere =
    namespaces.has(pods.namespace) ||
    (namespaceSelection.requirements !== undefined &&
      namespaceSelection.matchesLabels(labelsOf(pods.namespace)))
  return isThere && selection.matches(pods)
}
