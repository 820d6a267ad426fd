/** What lists of the controllers of pods show. */
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { Strings, Workload } from '../types/shapes.ts'
import { formatContainers, formatLabels, formatSelector } from './format.ts'

export function desiredReplicas(object: ApiObject): number {
  return (object as Workload).spec?.replicas ?? 0
}

export function currentReplicas(object: ApiObject): number {
  return (object as Workload).status?.replicas ?? 0
}

export function readyReplicas(object: ApiObject): number {
  return (object as Workload).status?.readyReplicas ?? 0
}

export function updatedReplicas(object: ApiObject): number {
  return (object as Workload).status?.updatedReplicas ?? 0
}

export function availableReplicas(object: ApiObject): number {
  return (object as Workload).status?.availableReplicas ?? 0
}

/** `1/2`: ready of desired. */
export function readyOfDesired(object: ApiObject): string {
  return `${readyReplicas(object)}/${desiredReplicas(object)}`
}

export function templateContainers(object: ApiObject): string {
  return formatContainers((object as Workload).spec?.template, ({ name }) => name)
}

export function templateImages(object: ApiObject): string {
  return formatContainers((object as Workload).spec?.template, ({ image }) => image)
}

/** The labels that nodes need to run pods of the template. */
export function templateNodeSelector(object: ApiObject): string {
  return formatLabels((object as Workload).spec?.template?.spec?.nodeSelector)
}

/** The selector as it is typed after `-l`. */
export function specSelector(object: ApiObject): string {
  return formatSelector((object as Workload).spec?.selector)
}

/** A selector that is a plain set of labels. */
export function labelSelector(object: ApiObject): string {
  const selector = (object as Workload).spec?.selector
  return formatLabels(selector as Strings | undefined)
}
