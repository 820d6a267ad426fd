/** The rules of NetworkPolicy. */
import type { LabelSelectorLike } from '../kernel/labels.ts'
import type { ApiObject } from '../kernel/object.ts'
import type { Finding } from '../kernel/read.ts'
import { isStrictlyInside, parseRange } from './addresses.ts'
import { change } from './change.ts'
import { forbidden, invalid, problems, required } from './findings.ts'
import type { Rule } from './kinds.ts'
import { targetProblems } from './ports.ts'
import { checkSelector } from './selectors.ts'
import type { IntOrString, List } from './shapes.ts'

interface Port {
  readonly port?: IntOrString
  readonly endPort?: number
}

interface Peer {
  readonly podSelector?: LabelSelectorLike
  readonly namespaceSelector?: LabelSelectorLike
  readonly ipBlock?: { readonly cidr?: string; readonly except?: List<string> }
}

interface Traffic {
  readonly ports?: List<Port>
  readonly from?: List<Peer>
  readonly to?: List<Peer>
}

/** What the rules and cells of NetworkPolicy look at. */
export interface NetworkPolicy extends ApiObject {
  readonly spec?: {
    readonly podSelector?: LabelSelectorLike
    readonly ingress?: List<Traffic>
    readonly egress?: List<Traffic>
    readonly policyTypes?: List<string>
  }
}

/** A policy restricts what comes in, and what goes out too if it has rules for that. */
export const networkPolicy: Rule = {
  defaults(object) {
    const { spec } = object as NetworkPolicy
    if (spec === undefined || (spec.policyTypes ?? []).length > 0) return object
    const types = (spec.egress ?? []).length > 0 ? ['Ingress', 'Egress'] : ['Ingress']
    return change(object as NetworkPolicy, { spec: { ...spec, policyTypes: types } })
  },
  validate(object) {
    const { podSelector, ingress, egress, policyTypes } = (object as NetworkPolicy).spec ?? {}
    const many = (policyTypes ?? []).length > 2
    return [
      ...(podSelector === undefined ? [] : checkSelector('spec.podSelector', podSelector)),
      ...(ingress ?? []).flatMap((each, at) => checkTraffic(`spec.ingress[${at}]`, each, 'from')),
      ...(egress ?? []).flatMap((each, at) => checkTraffic(`spec.egress[${at}]`, each, 'to')),
      ...(many
        ? [invalid('spec.policyTypes', policyTypes, 'may not specify more than two policyTypes')]
        : []),
    ]
  },
}

function checkTraffic(path: string, traffic: Traffic, side: 'from' | 'to'): readonly Finding[] {
  return [
    ...(traffic.ports ?? []).flatMap((each, at) => checkPort(`${path}.ports[${at}]`, each)),
    ...(traffic[side] ?? []).flatMap((each, at) => checkPeer(`${path}.${side}[${at}]`, each)),
  ]
}

function checkPort(path: string, { port, endPort }: Port): readonly Finding[] {
  return [
    ...(port === undefined ? [] : problems(`${path}.port`, port, targetProblems(port))),
    ...(endPort === undefined ? [] : checkEnd(`${path}.endPort`, port, endPort)),
  ]
}

function checkEnd(path: string, port: IntOrString | undefined, end: number): readonly Finding[] {
  if (port === undefined)
    return [invalid(path, end, 'may not be specified when `port` is not specified')]
  if (typeof port === 'string') {
    return [invalid(path, end, 'may not be specified when `port` is non-numeric')]
  }
  return end >= port ? [] : [invalid(path, end, 'must be greater than or equal to `port`')]
}

function checkPeer(path: string, peer: Peer): readonly Finding[] {
  const { podSelector, namespaceSelector, ipBlock } = peer
  const selectors = [podSelector, namespaceSelector].filter((each) => each !== undefined)
  if (ipBlock === undefined && selectors.length === 0)
    return [required(path, 'must specify a peer')]
  if (ipBlock !== undefined && selectors.length > 0) {
    return [forbidden(path, 'may not specify both ipBlock and another peer')]
  }
  return [
    ...(podSelector ? checkSelector(`${path}.podSelector`, podSelector) : []),
    ...(namespaceSelector ? checkSelector(`${path}.namespaceSelector`, namespaceSelector) : []),
    ...(ipBlock ? checkBlock(`${path}.ipBlock`, ipBlock) : []),
  ]
}

function checkBlock(
  path: string,
  { cidr = '', except }: NonNullable<Peer['ipBlock']>,
): readonly Finding[] {
  if (cidr === '') return [required(`${path}.cidr`)]
  const range = parseRange(cidr)
  if (range === undefined) return [invalid(`${path}.cidr`, cidr, 'not a valid CIDR')]
  return (except ?? []).flatMap((text, at) => {
    const hole = parseRange(text)
    const place = `${path}.except[${at}]`
    if (hole === undefined) return [invalid(place, text, 'not a valid CIDR')]
    return isStrictlyInside(hole, range)
      ? []
      : [invalid(place, text, 'must be a strict subset of `cidr`')]
  })
}
