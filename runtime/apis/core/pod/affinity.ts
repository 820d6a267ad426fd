import type {
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinityTerm,
} from '../../../../generated/apis/core/v1/scheduling.ts'
import {
  dnsLabelProblems,
  dnsSubdomainProblems,
  qualifiedNameProblems,
} from '../../../kernel/meta/names.ts'
import type { Check } from '../../../kernel/walker/field.ts'

/** Terms of which a node must meet one; without any, none would do. */
export const nodeSelector: Check<NodeSelector> = (selector) => {
  if (!selector.value.nodeSelectorTerms?.length) {
    selector.required('nodeSelectorTerms', 'must have at least one node selector term')
  }
  selector.visit('nodeSelectorTerms')
}

/** Requirements on the labels and on the name of a node. */
export const nodeSelectorTerm: Check<NodeSelectorTerm> = (term) => {
  term.each('matchExpressions', checkExpression)
  term.each('matchFields', checkField)
}

/** Which pods, in which namespaces, share which part of the cluster. Errors of namespaces stand at one place. */
export const podAffinityTerm: Check<PodAffinityTerm> = (term) => {
  term.visit('labelSelector', 'namespaceSelector')
  for (const name of term.value.namespaces ?? []) {
    term.invalidAll('namespace' as 'namespaces', dnsLabelProblems(name), name)
  }
  if (!term.value.topologyKey) term.required('topologyKey', 'can not be empty')
  term.judge('topologyKey', qualifiedNameProblems)
}

/** The number of values comes before the key. An unknown operator is left to the schema. */
const checkExpression: Check<NodeSelectorRequirement> = (requirement) => {
  const { key = '', operator, values } = requirement.value
  const count = values?.length ?? 0
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (count > 0) break
      requirement.required('values', "must be specified when `operator` is 'In' or 'NotIn'")
      break
    case 'Exists':
    case 'DoesNotExist':
      if (count === 0) break
      requirement.forbidden(
        'values',
        "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
      )
      break
    case 'Gt':
    case 'Lt':
      if (count === 1) break
      requirement.required(
        'values',
        "must be specified single value when `operator` is 'Lt' or 'Gt'",
      )
  }
  requirement.invalidAll('key', qualifiedNameProblems(key), key)
}

/** The only field is the name, and it is compared with one value. */
const checkField: Check<NodeSelectorRequirement> = (requirement) => {
  const { key, operator = '', values } = requirement.value
  const compared = operator === 'In' || operator === 'NotIn'
  if (!compared) requirement.invalid('operator', 'not a valid selector operator', operator)
  else if (values?.length !== 1) {
    const why = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
    requirement.required('values', why)
  }
  if (key !== 'metadata.name') requirement.invalid('key', 'not a valid field selector key')
  else {
    requirement.each('values', (value) => value.invalidAll('', dnsSubdomainProblems(value.value)))
  }
}
