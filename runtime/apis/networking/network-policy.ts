import type {
  IPBlock,
  NetworkPolicy,
  NetworkPolicyPeer,
  NetworkPolicyPort,
} from '../../../generated/apis/networking/v1/network-policy.ts'
import { targetProblems } from '../../kernel/meta/ports.ts'
import { change } from '../../kernel/values/change.ts'
import { isStrictlyInside, parseRange } from '../../kernel/values/ip-ranges.ts'
import type { Check } from '../../kernel/walker/field.ts'
import type { Strategy } from '../strategy/strategy.ts'

/** A policy restricts what comes in, and what goes out too if it has rules for that. */
export const networkPolicy: Strategy<NetworkPolicy> = {
  defaults(object) {
    const { spec } = object
    if (spec === undefined || (spec.policyTypes ?? []).length > 0) return object
    const types = (spec.egress ?? []).length > 0 ? ['Ingress', 'Egress'] : ['Ingress']
    return change(object, { spec: { ...spec, policyTypes: types } })
  },
  check(object) {
    const spec = object.child('spec')
    spec.visit('podSelector', 'ingress', 'egress')
    if ((spec.value.policyTypes ?? []).length > 2) {
      spec.invalid('policyTypes', 'may not specify more than two policyTypes')
    }
  },
}

/** A port by number or name, or a range that begins with a number. */
export const networkPolicyPort: Check<NetworkPolicyPort> = (field) => {
  const { port, endPort } = field.value
  if (port !== undefined) field.invalidAll('port', targetProblems(port))
  if (endPort === undefined) return
  if (port === undefined) {
    field.invalid('endPort', 'may not be specified when `port` is not specified')
  } else if (typeof port === 'string') {
    field.invalid('endPort', 'may not be specified when `port` is non-numeric')
  } else if (endPort < port) {
    field.invalid('endPort', 'must be greater than or equal to `port`')
  }
}

/** The other side of traffic: pods by their labels, or a block of addresses. */
export const networkPolicyPeer: Check<NetworkPolicyPeer> = (peer) => {
  const { podSelector, namespaceSelector, ipBlock } = peer.value
  const selects = podSelector !== undefined || namespaceSelector !== undefined
  if (ipBlock === undefined && !selects) return peer.required('', 'must specify a peer')
  if (ipBlock !== undefined && selects) {
    return peer.forbidden('', 'may not specify both ipBlock and another peer')
  }
  peer.visit('podSelector', 'namespaceSelector')
  peer.when('ipBlock', checkBlock)
}

const checkBlock: Check<IPBlock> = (block) => {
  const { cidr = '' } = block.value
  if (cidr === '') return block.required('cidr')
  const range = parseRange(cidr)
  if (range === undefined) return block.invalid('cidr', 'not a valid CIDR')
  block.each('except', (text) => {
    const hole = parseRange(text.value)
    if (hole === undefined) text.invalid('', 'not a valid CIDR')
    else if (!isStrictlyInside(hole, range)) text.invalid('', 'must be a strict subset of `cidr`')
  })
}
