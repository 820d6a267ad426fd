import type {
  IPBlock,
  NetworkPolicy,
  NetworkPolicyPeer,
  NetworkPolicyPort,
} from '../../../generated/apis/networking/v1/network-policy.ts'
import { portProblems, targetProblems } from '../../kernel/meta/ports.ts'
import { unsupported } from '../../kernel/validation/field-errors.ts'
import { shownList } from '../../kernel/validation/go-value.ts'
import { change } from '../../kernel/values/change.ts'
import { isStrictlyInside, parseRange } from '../../kernel/values/ip-ranges.ts'
import type { Check } from '../../kernel/walker/field.ts'
import type { Strategy } from '../strategy/strategy.ts'

/**
 * A policy restricts what comes in, and what goes out too if it has rules for that. Absent
 * `policyTypes` are filled in on every write from the rules that come with it. Those that were
 * filled in and are sent back stay, so an egress rule that is added later needs its type beside it.
 * Nothing here enforces a policy (supplement I-22).
 */
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
    const types = spec.value.policyTypes ?? []
    if (types.length <= 2) return
    const all = shownList('networking.PolicyType', types)
    spec.passOver('policyTypes')
    spec.invalid('policyTypes', 'may not specify more than two policyTypes', all)
  },
}

const protocols = ['TCP', 'UDP', 'SCTP']

/**
 * A port by number or name, or a range that begins with a number. The order of the calls is the order of the errors. The range needs a number to begin
 * with: a name may mean another number in each pod. Both ends are included, so equal ends are one
 * port.
 */
export const networkPolicyPort: Check<NetworkPolicyPort> = (field) => {
  const { port, endPort, protocol } = field.value
  if (protocol !== undefined && !protocols.includes(protocol)) {
    field.passOver('protocol')
    field.report(unsupported(field.path('protocol'), protocol, protocols))
  }
  if (endPort !== undefined && typeof port !== 'number') {
    const what = port === undefined ? 'not specified' : 'non-numeric'
    field.invalid('endPort', `may not be specified when \`port\` is ${what}`)
  }
  if (port !== undefined) field.invalidAll('port', targetProblems(port))
  if (endPort === undefined || typeof port !== 'number') return
  if (endPort < port) field.invalid('endPort', 'must be greater than or equal to `port`', port)
  field.invalidAll('endPort', portProblems(endPort))
}

/**
 * The other side of traffic: pods by their labels, or a block of addresses.
 * A peer without anything would be everything, by mistake, and is refused; an empty selector means
 * that on purpose.
 */
export const networkPolicyPeer: Check<NetworkPolicyPeer> = (peer) => {
  const { podSelector, namespaceSelector, ipBlock } = peer.value
  const selects = podSelector !== undefined || namespaceSelector !== undefined
  if (ipBlock === undefined && !selects) return peer.required('', 'must specify a peer')
  peer.visit('podSelector', 'namespaceSelector')
  peer.when('ipBlock', checkBlock)
  if (ipBlock === undefined || !selects) return
  peer.forbidden('', 'may not specify both ipBlock and another peer')
}

/**
 * A block that cannot be read has one error and its exceptions are not looked at, nor are those after one that cannot be read. An exception lies
 * inside the block and is smaller than it: one of the same size would leave nothing.
 */
const checkBlock: Check<IPBlock> = (block) => {
  const { cidr = '' } = block.value
  if (cidr === '') return block.required('cidr')
  const range = parseRange(cidr)
  if (range === undefined) return block.invalid('cidr', 'not a valid CIDR')
  let unread = false
  block.each('except', (text) => {
    const hole = parseRange(text.value)
    if (unread) return
    unread = hole === undefined
    if (hole === undefined) text.invalid('', 'not a valid CIDR')
    else if (!isStrictlyInside(hole, range)) text.invalid('', 'must be a strict subset of `cidr`')
  })
}
