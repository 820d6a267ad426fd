/** Warnings about where a pod may run, and beside which others. */
import type { PodSpec } from '../../../../generated/apis/core/v1/pod.ts'
import type { PodAffinity } from '../../../../generated/apis/core/v1/scheduling.ts'
import type { Field } from '../../../kernel/walker/field.ts'
import type { Texts } from '../../strategy/warned-field.ts'
import { deprecatedKeys, deprecatedNodeLabel } from '../../types/deprecations.ts'

const selectsNone = 'a null labelSelector results in matching no pod'

/** Deprecated labels of nodes, and spreading that counts no pod. */
export function* nodeWarnings(spec: Field<PodSpec>, domain: string): Texts {
  for (const key of Object.keys(spec.value.nodeSelector ?? {})) {
    const message = deprecatedNodeLabel(key, domain)
    if (message !== undefined) yield `${spec.path(`nodeSelector[${key}]`)}: ${message}`
  }
  const affinity = spec.child('affinity').child('nodeAffinity')
  const required = affinity.child('requiredDuringSchedulingIgnoredDuringExecution')
  for (const term of required.items('nodeSelectorTerms')) yield* deprecatedKeys(term, domain)
  for (const term of affinity.items('preferredDuringSchedulingIgnoredDuringExecution')) {
    yield* deprecatedKeys(term.child('preference'), domain)
  }
  for (const constraint of spec.items('topologySpreadConstraints')) {
    const { topologyKey = '', labelSelector } = constraint.value
    const message = deprecatedNodeLabel(topologyKey, domain)
    if (message !== undefined) {
      yield `${constraint.path('topologyKey')}: ${topologyKey} is ${message}`
    }
    if (labelSelector === undefined) yield `${constraint.path('labelSelector')}: ${selectsNone}`
  }
}

/** Terms about other pods that select none. */
export function* podAffinityWarnings(spec: Field<PodSpec>): Texts {
  const affinity = spec.child('affinity')
  yield* unselective(affinity.child('podAffinity'))
  yield* unselective(affinity.child('podAntiAffinity'))
}

function* unselective(affinity: Field<PodAffinity>): Texts {
  for (const term of affinity.items('requiredDuringSchedulingIgnoredDuringExecution')) {
    if (term.value.labelSelector === undefined)
      yield `${term.path('labelSelector')}: ${selectsNone}`
  }
  for (const weighted of affinity.items('preferredDuringSchedulingIgnoredDuringExecution')) {
    const term = weighted.child('podAffinityTerm')
    if (term.value.labelSelector === undefined)
      yield `${term.path('labelSelector')}: ${selectsNone}`
  }
}
