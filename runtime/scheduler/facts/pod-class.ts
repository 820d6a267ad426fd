/** What pods have in common for whom the same nodes do, and for the same reasons. */
import type { Pod, PodSpec } from '../../../generated/apis/core/v1/pod.ts'
import { controllerOf } from '../../kernel/meta/controller-of.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { Recent } from '../../kernel/values/recent.ts'
import { type HostPort, hostPortsOf } from '../../pods/pods.ts'
import { type AffinityTerms, affinityTermsOf } from './affinity-term.ts'
import { type Amounts, countedRequestsOf, requestsOf } from './amounts.ts'
import type { Labelled } from './label-selection.ts'
import { type SpreadConstraint, spreadConstraintsOf } from './spread-constraint.ts'

/** Pods that are alike. Two classes may be of pods that are alike, too: it is only worth less. */
export interface PodClass extends Labelled, AffinityTerms {
  /** That of one of them. */
  readonly spec: PodSpec
  readonly requests: Amounts
  readonly counted: Pick<Amounts, 'cpu' | 'memory'>
  readonly ports: readonly HostPort[]
  readonly priority: number
  /** Undefined for a spec that says nothing of it: the defaults hold. */
  readonly spread: SpreadRules | undefined
  /** True if any of its terms of affinity or anti-affinity is not empty. */
  readonly hasAffinity: boolean
  readonly owner: OwnerFacts | undefined
}

/** The constraints of a pod by what they do. */
export interface SpreadRules {
  readonly required: readonly SpreadConstraint[]
  readonly preferred: readonly SpreadConstraint[]
}

/** The controller of a pod. */
export interface OwnerFacts {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
}

/** A pod and its class. */
export interface PodInfo {
  readonly pod: Stored<Pod>
  readonly class: PodClass
}

/** So many classes are remembered. */
const remembered = 20_000

/** Finds the class of pods. */
export class PodClasses {
  readonly #classes = new Recent<PodClass>(remembered)

  infoOf(pod: Stored<Pod>): PodInfo {
    return { pod, class: this.#classes.get(classKey(pod), () => classOf(pod)) }
  }
}

/** The priority of a pod. */
export function priorityOf({ spec }: Pod): number {
  return spec?.priority ?? 0
}

function ownerOf(pod: Pod): OwnerFacts | undefined {
  const owner = controllerOf(pod)
  return owner && { apiVersion: owner.apiVersion, kind: owner.kind, name: owner.name }
}

function classKey(pod: Stored<Pod>): string {
  const { metadata, spec } = pod
  const needs = (containers: PodSpec['containers'] = []) =>
    containers.map(({ image, resources, ports, restartPolicy }) => [
      image,
      resources?.requests,
      ports,
      restartPolicy,
    ])
  return JSON.stringify([
    metadata.namespace,
    metadata.labels,
    ownerOf(pod),
    needs(spec?.containers),
    needs(spec?.initContainers as PodSpec['containers'] | undefined),
    spec?.overhead,
    spec?.priority,
    spec?.nodeSelector,
    spec?.affinity,
    spec?.tolerations,
    spec?.topologySpreadConstraints,
  ])
}

function classOf(pod: Stored<Pod>): PodClass {
  const { namespace, labels = {} } = pod.metadata
  const spec = pod.spec ?? { containers: [] }
  const constraints = spec.topologySpreadConstraints ?? []
  const terms = affinityTermsOf(spec, namespace)
  return {
    ...{ namespace, labels, spec, ...terms },
    requests: requestsOf(spec),
    counted: countedRequestsOf(spec),
    ports: hostPortsOf(spec),
    priority: priorityOf(pod),
    spread:
      constraints.length === 0
        ? undefined
        : {
            required: spreadConstraintsOf(constraints, labels, 'DoNotSchedule'),
            preferred: spreadConstraintsOf(constraints, labels, 'ScheduleAnyway'),
          },
    hasAffinity: Object.values(terms).some((list) => list.length > 0),
    owner: ownerOf(pod),
  }
}
