import { isIP } from 'node:net'
import type { ServicePort, ServiceSpec } from '../../../../generated/apis/core/v1/service.ts'
import {
  dnsLabelProblems,
  dnsSubdomainProblems,
  qualifiedNameProblems,
} from '../../../kernel/meta/names.ts'
import { targetProblems } from '../../../kernel/meta/ports.ts'
import { addressProblems, parseRange } from '../../../kernel/values/ip-ranges.ts'
import type { Field } from '../../../kernel/walker/field.ts'
import { clusterIPNone } from './service-families.ts'
import { isExternallyAccessible, needsHealthCheck } from './service-update.ts'

type Spec = Field<ServiceSpec>

/**
 * Checks a service by itself.
 * Errors in the order ports, selector, addresses or external name, policies, source ranges. What
 * depends on the old service comes after all of them.
 */
export function checkService(spec: Spec): void {
  checkPorts(spec)
  spec.visit('selector')
  if (spec.value.type === 'ExternalName') checkExternal(spec)
  else checkAddresses(spec)
  checkPolicies(spec)
  checkSources(spec)
}

/**
 * A headless service and an external name need no ports. Of several ports each has a name of its
 * own; a name that stands twice is judged for its form once. An absent targetPort passes: the
 * defaults have filled it in.
 */
function checkPorts(spec: Spec): void {
  const { ports, type, clusterIP } = spec.value
  if (!ports?.length && type !== 'ExternalName' && clusterIP !== clusterIPNone) {
    spec.required('ports')
  }
  const names = new Set<string>()
  const nodePorts = new Set<string>()
  spec.each('ports', (port) => {
    const { name, targetPort = 1, appProtocol } = port.value
    if (!name && (ports ?? []).length > 1) port.required('name')
    if (name && !names.has(name)) port.invalidAll('name', dnsLabelProblems(name))
    port.unique('name', names)
    if (appProtocol !== undefined) {
      port.invalidAll('appProtocol', qualifiedNameProblems(appProtocol))
    }
    port.invalidAll('targetPort', targetProblems(targetPort))
    checkNodePort(port, type, nodePorts)
  })
}

/** A number may stand twice for two protocols, but only once for one. */
function checkNodePort(port: Field<ServicePort>, type: string | undefined, taken: Set<string>) {
  const { nodePort, protocol = 'TCP' } = port.value
  if (!nodePort) return
  const key = `${protocol} ${nodePort}`
  if (type === 'ClusterIP') {
    port.forbidden('nodePort', "may not be used when `type` is 'ClusterIP'")
  } else if (taken.has(key)) port.duplicate('nodePort')
  else taken.add(key)
}

/**
 * One bad address is reported by itself before addresses are compared with families. Of a later
 * address the messages are those of an address in general, since `None` and the empty text are for
 * the first one only.
 */
function checkAddresses(spec: Spec): void {
  const { type, clusterIP = '' } = spec.value
  const addresses = spec.value.clusterIPs ?? []
  const wrong = (detail: string) => spec.invalid('clusterIPs', detail)
  if (addresses[0] === clusterIPNone && addresses.length > 1) {
    wrong("'None' must be the first and only value")
  } else if (addresses.every((address, at) => isClusterIP(address, at))) checkStacks(spec)
  else {
    spec.each('clusterIPs', (address, at) => {
      if (isClusterIP(address.value, at)) return
      if (at > 0) address.invalidAll('', addressProblems(''))
      else address.invalid('', "must be empty, 'None', or a valid IP address")
    })
  }
  if (addresses.length > 0 && clusterIP === '') {
    wrong('must be empty when `clusterIP` is not specified')
  } else if (addresses.length > 0 && addresses[0] !== clusterIP) {
    wrong('first value must match `clusterIP`')
  }
  if ((type === 'NodePort' || type === 'LoadBalancer') && clusterIP === clusterIPNone) {
    spec.invalid('clusterIPs[0]', `may not be set to 'None' for ${type} services`, clusterIPNone)
  }
  spec.visit('externalIPs')
  const seen = new Set<string>()
  spec.each('ipFamilies', (family) => family.unique('', seen))
}

/** An empty text is none: the field is left out instead. */
function isClusterIP(address: string, at: number): boolean {
  return (address === clusterIPNone && at === 0) || isIP(address) !== 0
}

/**
 * Addresses are of different families, and of those that the service names. Either one error about
 * the list as a whole, or one for each address of another family than the one at its index.
 */
function checkStacks(spec: Spec) {
  const { ipFamilies } = spec.value
  const addresses = spec.value.clusterIPs ?? []
  if (addresses.length > 2) return spec.invalid('clusterIPs', 'may only hold up to 2 values')
  const families = addresses.map((address) => (isIP(address) === 6 ? 'IPv6' : 'IPv4'))
  if (families.length === 2 && families[0] === families[1]) {
    return spec.invalid('clusterIPs', 'may specify no more than one IP for each IP family')
  }
  if (addresses[0] === clusterIPNone) return
  spec.each('clusterIPs', (address, at) => {
    const named = ipFamilies?.[at]
    if (named === undefined || named === families[at]) return
    address.invalid('', `expected an ${named} value as indicated by \`ipFamilies[${at}]\``)
  })
}

/**
 * A service that is another name has no addresses of its own.
 * A dot at the end of the name is allowed. The error about addresses stands at `clusterIPs`, also
 * for `clusterIP` alone.
 */
function checkExternal(spec: Spec): void {
  const { clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy, externalName } = spec.value
  const why = 'may not be set for ExternalName services'
  if (ipFamilies?.length) spec.forbidden('ipFamilies', why)
  if (ipFamilyPolicy) spec.forbidden('ipFamilyPolicy', why)
  if (clusterIP || clusterIPs?.length) spec.forbidden('clusterIPs', why)
  const name = externalName?.replace(/\.$/, '') ?? ''
  if (name === '') spec.required('externalName')
  else spec.invalidAll('externalName', dnsSubdomainProblems(name))
}

const onlyBalanced = "may only be used when `type` is 'LoadBalancer'"

/**
 * Fields that mean something for some types only.
 * Ports and class of a balancer come first, then traffic policy, then the port of the health check.
 * A port of 0 counts as absent.
 */
function checkPolicies(spec: Spec): void {
  const { type, externalTrafficPolicy, loadBalancerClass, healthCheckNodePort } = spec.value
  for (const key of ['allocateLoadBalancerNodePorts', 'loadBalancerClass'] as const) {
    const misplaced = spec.value[key] !== undefined && type !== 'LoadBalancer'
    if (misplaced) spec.forbidden(key, onlyBalanced)
  }
  if (loadBalancerClass !== undefined) {
    spec.invalidAll('loadBalancerClass', qualifiedNameProblems(loadBalancerClass))
  }
  if (externalTrafficPolicy !== undefined && !isExternallyAccessible(spec.value)) {
    const why = 'may only be set for externally-accessible services'
    spec.invalid('externalTrafficPolicy', why)
  }
  if (healthCheckNodePort && !needsHealthCheck(spec.value)) {
    const why =
      "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
    spec.invalid('healthCheckNodePort', why)
  }
}

/**
 * Only a load balancer keeps clients out, by the ranges that it lets in.
 * Spaces around a range are allowed. The error stands at the list, however many ranges are bad, and in capitals.
 */
function checkSources(spec: Spec): void {
  const { type, loadBalancerSourceRanges: ranges } = spec.value
  if (!ranges?.length) return
  const told = 'LoadBalancerSourceRanges' as 'loadBalancerSourceRanges'
  if (type !== 'LoadBalancer') spec.forbidden(told, onlyBalanced)
  if (ranges.some((range) => parseRange(range.trim()) === undefined)) {
    const why = 'must be a list of IP ranges. For example, 10.240.0.0/24,10.250.0.0/24'
    spec.invalid(told, why, `[${ranges.join(' ')}]`)
  }
}
