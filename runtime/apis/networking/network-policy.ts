/** The rules of NetworkPolicy. */
import type { LabelSelectorFields } from '../../kernel/meta/label-selector.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { change } from '../strategy/change.ts'
import { isStrictlyInside, parseRange } from '../types/addresses.ts'
import { forbidden, invalid, invalidAll, required } from '../types/field-errors.ts'
import { checkSelector } from '../types/label-selectors.ts'
import { targetProblems } from '../types/ports.ts'
import type { IntOrString, List } from '../types/shapes.ts'

interface Port {
  readonly port?: IntOrString
  readonly endPort?: number
}

interface Peer {
  readonly podSelector?: LabelSelectorFields
  readonly namespaceSelector?: LabelSelectorFields
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
    readonly podSelector?: LabelSelectorFields
    readonly ingress?: List<Traffic>
    readonly egress?: List<Traffic>
    readonly policyTypes?: List<string>
  }
}

/** A policy restricts what comes in, and what goes out too if it has rules for that. */
export const networkPolicy: Strategy = {
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

function checkTraffic(path: string, traffic: Traffic, side: 'from' | 'to'): readonly FieldError[] {
  return [
    ...(traffic.ports ?? []).flatMap((each, at) => checkPort(`${path}.ports[${at}]`, each)),
    ...(traffic[side] ?? []).flatMap((each, at) => checkPeer(`${path}.${side}[${at}]`, each)),
  ]
}

function checkPort(path: string, { port, endPort }: Port): readonly FieldError[] {
  return [
    ...(port === undefined ? [] : invalidAll(`${path}.port`, port, targetProblems(port))),
    ...(endPort === undefined ? [] : checkEnd(`${path}.endPort`, port, endPort)),
  ]
}

function checkEnd(path: string, port: IntOrString | undefined, end: number): readonly FieldError[] {
  if (port === undefined)
    return [invalid(path, end, 'may not be specified when `port` is not specified')]
  if (typeof port === 'string') {
    return [invalid(path, end, 'may not be specified when `port` is non-numeric')]
  }
  return end >= port ? [] : [invalid(path, end, 'must be greater than or equal to `port`')]
}

function checkPeer(path: string, peer: Peer): readonly FieldError[] {
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
): readonly FieldError[] {
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
