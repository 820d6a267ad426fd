/** The rules of IPAddress and ServiceCIDR. */
import { dnsSubdomainProblems } from '../../kernel/meta/names.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { canonicalAddress, parseRange, rangeProblems } from '../types/addresses.ts'
import { invalid, invalidAll, required } from '../types/field-errors.ts'
import type { List } from '../types/shapes.ts'

/** What the rules and cells of IPAddress look at. */
export interface IPAddress extends ApiObject {
  readonly spec?: {
    readonly parentRef?: {
      readonly group?: string
      readonly resource?: string
      readonly namespace?: string
      readonly name?: string
    }
  }
}

/** An address record is named by the address, and says what the address belongs to. */
export const ipAddress: Strategy = {
  validate(object) {
    const { metadata, spec } = object as IPAddress
    const { name = '' } = metadata
    const wrong = canonicalAddress(name) !== name
    const ref = spec?.parentRef
    return [
      ...(wrong ? [invalid('metadata.name', name, 'must be a canonical format IP address')] : []),
      ...(ref === undefined ? [required('spec.parentRef')] : []),
      ...(ref?.group
        ? invalidAll('spec.parentRef.group', ref.group, dnsSubdomainProblems(ref.group))
        : []),
      ...(ref !== undefined && !ref.resource ? [required('spec.parentRef.resource')] : []),
      ...(ref !== undefined && !ref.name ? [required('spec.parentRef.name')] : []),
    ]
  },
}

/** What the rules and cells of ServiceCIDR look at. */
export interface ServiceCIDR extends ApiObject {
  readonly spec?: { readonly cidrs?: List<string> }
}

/** A service range has one range for each address family at most. */
export const serviceCIDR: Strategy = {
  validate: (object) => checkRanges('spec.cidrs', (object as ServiceCIDR).spec?.cidrs ?? []),
}

function checkRanges(path: string, cidrs: readonly string[]): readonly FieldError[] {
  if (cidrs.length === 0) return [required(path, 'at least one CIDR required')]
  if (cidrs.length > 2) return [invalid(path, cidrs, 'may only hold up to 2 values')]
  const ranges = cidrs.map(parseRange)
  const families = new Set(ranges.map((range) => range?.family))
  const bad = cidrs.flatMap((text, at) => invalidAll(`${path}[${at}]`, text, rangeProblems(text)))
  if (bad.length > 0 || families.size === cidrs.length) return bad
  const why =
    'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64'
  return [invalid(path, cidrs, why)]
}
