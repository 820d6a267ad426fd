/** Which address families a service is of, by what it says and what the cluster has. */
import type { ServiceSpec } from '../../../../generated/apis/core/v1/service.ts'
import type { FieldError } from '../../../kernel/validation/field-error.ts'
import { invalid } from '../../../kernel/validation/field-errors.ts'
import { change } from '../../../kernel/values/change.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import { errorsOf, type Field } from '../../../kernel/walker/field.ts'
import type { Loose } from '../../../kernel/walker/loose.ts'
import { addressFamily, type Family } from './pools.ts'

type Spec = Loose<ServiceSpec>

/** The address of a service without one. */
export const clusterIPNone = 'None'

/** A spec with its families, or what is wrong with what it says of them. */
export type FamilyResult = { readonly spec: Spec } | { readonly errors: readonly FieldError[] }

/**
 * Fills in policy and families; a service that says it is for one family gives the other one up.
 * The steps are policy, release of the second family, counts, families by addresses, and what the
 * cluster has; the first one with errors ends them. A headless service without selector may name
 * families that the cluster has not: its endpoints can be anywhere.
 */
export function resolveFamilies(
  given: Spec,
  old: Spec | undefined,
  cluster: readonly Family[],
): FamilyResult {
  if (given.type === 'ExternalName' || keepsBoth(given, old)) return { spec: given }
  const ipFamilyPolicy = given.ipFamilyPolicy ?? old?.ipFamilyPolicy ?? defaultPolicy(given)
  const wished = reduced(change(given, { ipFamilyPolicy }), old)
  const wrong = errorsOf((spec: Field<ServiceSpec>) => checkCounts(spec, old), wished, 'spec')
  if (wrong.length > 0) return { errors: wrong }
  const named = withNamedFamilies(wished, cluster)
  if ('errors' in named || isSelectorless(named.spec)) {
    return 'errors' in named ? named : { spec: withBoth(named.spec, cluster, true) }
  }
  const available = (spec: Field<ServiceSpec>) => checkAvailable(spec, cluster)
  const missing = errorsOf(available, named.spec, 'spec')
  return missing.length > 0
    ? { errors: missing }
    : { spec: withBoth(named.spec, cluster, cluster.length === 2) }
}

/** A cluster that becomes dual changes no service by itself: only one that asks for a change is changed. */
function keepsBoth(spec: Spec, old: Spec | undefined): boolean {
  return (
    old !== undefined &&
    spec.ipFamilyPolicy === 'PreferDualStack' &&
    old.ipFamilyPolicy === 'PreferDualStack' &&
    old.type !== 'ExternalName' &&
    (old.clusterIPs?.length ?? 0) > 0 &&
    deepEqual(spec.clusterIPs ?? [], old.clusterIPs ?? []) &&
    deepEqual(spec.ipFamilies ?? [], old.ipFamilies ?? [])
  )
}

/** Headless and without a selector: its endpoints are written by clients. */
function isSelectorless({ clusterIP, selector }: Spec): boolean {
  return clusterIP === clusterIPNone && Object.keys(selector ?? {}).length === 0
}

/** The policy of a service that names none and had none. */
function defaultPolicy(spec: Spec): string {
  return isSelectorless(spec) ? 'RequireDualStack' : 'SingleStack'
}

/** One family only is a clear word as long as the client changed nothing else of what there were two of. */
function reduced(spec: Spec, old: Spec | undefined): Spec {
  if (old === undefined || spec.ipFamilyPolicy !== 'SingleStack') return spec
  const first = (field: 'clusterIPs' | 'ipFamilies') =>
    deepEqual(spec[field] ?? [], old[field] ?? []) && (spec[field]?.length ?? 0) > 1
      ? spec[field]?.slice(0, 1)
      : spec[field]
  return change(spec, { clusterIPs: first('clusterIPs'), ipFamilies: first('ipFamilies') })
}

/**
 * Two of something become one only under a policy for one, and stay two under any other.
 * Only the release of a second value is compared with the old service: its first value has to be
 * the same, or it is another change, with errors of its own.
 */
function checkCounts(spec: Field<ServiceSpec>, old: Spec | undefined): void {
  const { ipFamilyPolicy, clusterIPs, ipFamilies } = spec.value
  const must = (what: string) => spec.invalid('ipFamilyPolicy', `must be ${what}`)
  if (ipFamilyPolicy === 'SingleStack') {
    const many = "'RequireDualStack' or 'PreferDualStack' when multiple"
    if (clusterIPs?.length === 2) must(`${many} cluster IPs are specified`)
    if (ipFamilies?.length === 2) must(`${many} IP families are specified`)
  } else if (old !== undefined) {
    const fewer = (now: Spec['clusterIPs'], before: Spec['clusterIPs']) =>
      before?.length === 2 && now?.length === 1 && now[0] === before[0]
    if (fewer(clusterIPs, old.clusterIPs)) must("'SingleStack' to release the secondary cluster IP")
    if (fewer(ipFamilies, old.ipFamilies)) must("'SingleStack' to release the secondary IP family")
  }
}

/**
 * The families that addresses imply, after those that are named.
 * A headless service has no address to tell by. An address of a family that the cluster has not is
 * an error at that address.
 */
function withNamedFamilies(spec: Spec, cluster: readonly Family[]): FamilyResult {
  const addresses = spec.clusterIPs ?? []
  if (addresses[0] === clusterIPNone) return { spec }
  const families = [...(spec.ipFamilies ?? [])]
  const errors: FieldError[] = []
  for (const [at, address] of addresses.entries()) {
    if (at < families.length) continue
    const family = addressFamily(address)
    if (cluster.includes(family)) families.push(family)
    else {
      const why = `${family} is not configured on this cluster`
      errors.push(invalid(`spec.clusterIPs[${at}]`, addresses, why))
    }
  }
  return errors.length > 0 ? { errors } : { spec: withFamilies(spec, families) }
}

/** The families are there, and both where both are required. */
function checkAvailable(spec: Field<ServiceSpec>, cluster: readonly string[]): void {
  if (spec.value.ipFamilyPolicy === 'RequireDualStack' && cluster.length < 2) {
    spec.invalid('ipFamilyPolicy', 'this cluster is not configured for dual-stack services')
  }
  spec.each('ipFamilies', (family) => {
    if (!cluster.includes(family.value)) family.invalid('', 'not configured on this cluster')
  })
}

/** The default family where none is named; the other one beside it where the policy wants both and there may be. */
function withBoth(spec: Spec, cluster: readonly Family[], both: boolean): Spec {
  const [first = cluster[0] ?? 'IPv4', ...rest] = spec.ipFamilies ?? []
  const second = first === 'IPv4' ? 'IPv6' : 'IPv4'
  const wants = both && rest.length === 0 && spec.ipFamilyPolicy !== 'SingleStack'
  return withFamilies(spec, [first, ...rest, ...(wants ? [second] : [])])
}

/** The same spec if nothing changes. */
function withFamilies(spec: Spec, ipFamilies: readonly string[]): Spec {
  return deepEqual(spec.ipFamilies ?? [], ipFamilies) ? spec : change(spec, { ipFamilies })
}
