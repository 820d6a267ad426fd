/** What a schema cannot say of a service. */

import { isIP } from 'node:net'
import {
  dnsLabelProblems,
  dnsSubdomainProblems,
  qualifiedNameProblems,
} from '../../../kernel/meta/names.ts'
import type { FieldError } from '../../../kernel/validation/field-error.ts'
import { flagDuplicates } from '../../../kernel/values/duplicates.ts'
import { parseRange } from '../../types/addresses.ts'
import { endpointAddressProblems } from '../../types/endpoint-addresses.ts'
import { duplicate, forbidden, invalid, invalidAll, required } from '../../types/field-errors.ts'
import { checkLabels } from '../../types/label-selectors.ts'
import { targetProblems } from '../../types/ports.ts'
import type { ServicePort, ServiceSpec } from '../../types/shapes.ts'
import { clusterIPNone } from './service-families.ts'
import { isExternallyAccessible, needsHealthCheck } from './service-update.ts'

/** Everything wrong with a service by itself. */
export function checkService(spec: ServiceSpec): readonly FieldError[] {
  return [
    ...checkPorts(spec),
    ...checkLabels('spec.selector', spec.selector),
    ...checkAddresses(spec),
    ...checkFamilies(spec),
    ...checkExternalName(spec),
    ...checkPolicies(spec),
    ...checkSources(spec),
  ]
}

function checkPorts(spec: ServiceSpec): readonly FieldError[] {
  const ports = spec.ports ?? []
  const needed = spec.type !== 'ExternalName' && spec.clusterIP !== clusterIPNone
  if (ports.length === 0) return needed ? [required('spec.ports')] : []
  const names = new Set<string>()
  const nodePorts = new Set<string>()
  return ports.flatMap((port, index) => {
    const path = `spec.ports[${index}]`
    return [
      ...checkPortName(`${path}.name`, port.name, ports.length, names),
      ...checkQualified(`${path}.appProtocol`, port.appProtocol),
      ...invalidAll(`${path}.targetPort`, port.targetPort, targetProblems(port.targetPort ?? 1)),
      ...checkNodePort(`${path}.nodePort`, port, spec, nodePorts),
    ]
  })
}

function checkPortName(
  path: string,
  name: string | undefined,
  count: number,
  names: Set<string>,
): readonly FieldError[] {
  if (!name) return count > 1 ? [required(path)] : []
  if (names.has(name)) return [duplicate(path, name)]
  names.add(name)
  return invalidAll(path, name, dnsLabelProblems(name))
}

function checkNodePort(
  path: string,
  { nodePort, protocol = 'TCP' }: ServicePort,
  { type }: ServiceSpec,
  taken: Set<string>,
): readonly FieldError[] {
  if (!nodePort) return []
  if (type === 'ClusterIP') return [forbidden(path, "may not be used when `type` is 'ClusterIP'")]
  const key = `${protocol} ${nodePort}`
  if (taken.has(key)) return [duplicate(path, nodePort)]
  taken.add(key)
  return []
}

function checkAddresses(spec: ServiceSpec): readonly FieldError[] {
  if (spec.type === 'ExternalName') return []
  const { clusterIP, clusterIPs = [], externalIPs } = spec
  const outside = spec.type === 'NodePort' || spec.type === 'LoadBalancer'
  const alone = 'must be the first and only value'
  const misplaced = clusterIPs?.[0] === clusterIPNone && clusterIPs.length > 1
  const wrong = misplaced
    ? [invalid('spec.clusterIPs', clusterIPs, `'None' ${alone}`)]
    : (clusterIPs ?? []).flatMap((address, index) =>
        checkClusterIP(`spec.clusterIPs[${index}]`, address, index),
      )
  return [
    ...wrong,
    ...(wrong.length === 0 ? checkStacks(spec) : []),
    ...((clusterIPs ?? []).length > 0 && clusterIPs?.[0] !== (clusterIP ?? '')
      ? [invalid('spec.clusterIPs', clusterIPs, 'first value must match `clusterIP`')]
      : []),
    ...(outside && clusterIP === clusterIPNone
      ? [
          invalid(
            'spec.clusterIPs[0]',
            clusterIPNone,
            `may not be set to 'None' for ${spec.type} services`,
          ),
        ]
      : []),
    ...(externalIPs ?? []).flatMap((address, index) =>
      invalidAll(`spec.externalIPs[${index}]`, address, endpointAddressProblems(address)),
    ),
  ]
}

const addressMessage = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'

function checkClusterIP(path: string, address: string, index: number): readonly FieldError[] {
  if ((address === clusterIPNone && index === 0) || isIP(address) !== 0) return []
  if (index > 0) return invalidAll(path, address, [addressMessage])
  return [invalid(path, address, "must be empty, 'None', or a valid IP address")]
}

/** Addresses are of different families, and of those that the service names. */
function checkStacks({ clusterIPs, ipFamilies }: ServiceSpec): readonly FieldError[] {
  const addresses = clusterIPs ?? []
  if (addresses.length > 2) {
    return [invalid('spec.clusterIPs', addresses, 'may only hold up to 2 values')]
  }
  const families = addresses.map((address) => (isIP(address) === 6 ? 'IPv6' : 'IPv4'))
  if (families.length === 2 && families[0] === families[1]) {
    const why = 'may specify no more than one IP for each IP family'
    return [invalid('spec.clusterIPs', addresses, why)]
  }
  if (addresses[0] === clusterIPNone) return []
  return addresses.flatMap((address, at) => {
    const named = ipFamilies?.[at]
    if (named === undefined || named === families[at]) return []
    const why = `expected an ${named} value as indicated by \`ipFamilies[${at}]\``
    return [invalid(`spec.clusterIPs[${at}]`, address, why)]
  })
}

function checkFamilies({ type, ipFamilies, ipFamilyPolicy }: ServiceSpec): readonly FieldError[] {
  const families = ipFamilies ?? []
  if (type !== 'ExternalName') {
    const again = flagDuplicates(families)
    return families.flatMap((family, at) =>
      again[at] ? [duplicate(`spec.ipFamilies[${at}]`, family)] : [],
    )
  }
  const why = 'may not be set for ExternalName services'
  return [
    ...(families.length > 0 ? [forbidden('spec.ipFamilies', why)] : []),
    ...(ipFamilyPolicy ? [forbidden('spec.ipFamilyPolicy', why)] : []),
  ]
}

function checkExternalName({
  type,
  clusterIP,
  clusterIPs,
  externalName,
}: ServiceSpec): readonly FieldError[] {
  if (type !== 'ExternalName') return []
  const addressed = Boolean(clusterIP) || (clusterIPs?.length ?? 0) > 0
  const name = externalName?.replace(/\.$/, '') ?? ''
  return [
    ...(addressed
      ? [forbidden('spec.clusterIPs', 'may not be set for ExternalName services')]
      : []),
    ...(name === ''
      ? [required('spec.externalName')]
      : invalidAll('spec.externalName', externalName, dnsSubdomainProblems(name))),
  ]
}

/** Fields that mean something for some types only. */
function checkPolicies(spec: ServiceSpec): readonly FieldError[] {
  const { type, externalTrafficPolicy, allocateLoadBalancerNodePorts, loadBalancerClass } = spec
  const onlyBalanced = "may only be used when `type` is 'LoadBalancer'"
  const only = (field: string, value: unknown) =>
    value === undefined || type === 'LoadBalancer' ? [] : [forbidden(`spec.${field}`, onlyBalanced)]
  const { healthCheckNodePort } = spec
  const onlyLocal =
    "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
  const stray = externalTrafficPolicy !== undefined && !isExternallyAccessible(spec)
  const why = 'may only be set for externally-accessible services'
  return [
    ...only('allocateLoadBalancerNodePorts', allocateLoadBalancerNodePorts),
    ...only('loadBalancerClass', loadBalancerClass),
    ...checkQualified('spec.loadBalancerClass', loadBalancerClass),
    ...(stray ? [invalid('spec.externalTrafficPolicy', externalTrafficPolicy, why)] : []),
    ...(healthCheckNodePort && !needsHealthCheck(spec)
      ? [invalid('spec.healthCheckNodePort', healthCheckNodePort, onlyLocal)]
      : []),
  ]
}

function checkQualified(path: string, name: string | undefined): readonly FieldError[] {
  return name === undefined ? [] : invalidAll(path, name, qualifiedNameProblems(name))
}

/** Only a load balancer keeps clients out, by the ranges that it lets in. */
function checkSources({
  type,
  loadBalancerSourceRanges: given,
}: ServiceSpec): readonly FieldError[] {
  if (!given?.length) return []
  const path = 'spec.loadBalancerSourceRanges'
  const wrong = given.some((range) => parseRange(range.trim()) === undefined)
  const rule = 'must be a list of IP ranges. For example, 10.240.0.0/24,10.250.0.0/24'
  return [
    ...(type === 'LoadBalancer'
      ? []
      : [forbidden(path, "may only be used when `type` is 'LoadBalancer'")]),
    ...(wrong ? [invalid(path, given, rule)] : []),
  ]
}
