import type { ServiceSpec } from '../../../../generated/apis/core/v1/service.ts'
import {
  dnsLabelProblems,
  dnsSubdomainProblems,
  qualifiedNameProblems,
} from '../../../kernel/meta/names.ts'
import { targetProblems } from '../../../kernel/meta/ports.ts'
import { addressProblems, familyOf, parseRange } from '../../../kernel/values/ip-ranges.ts'
import type { Field } from '../../../kernel/walker/field.ts'
import { addressFamily } from './pools.ts'
import { clusterIPNone } from './service-families.ts'
import { checkBalancerClass, isExternallyAccessible, needsHealthCheck } from './service-update.ts'

type Spec = Field<ServiceSpec>

/**
 * Checks a service by itself.
 * Addresses are settled before all else is looked at. Then errors come in the order ports, selector, external name, external
 * addresses, policies, source ranges. What depends on the old service comes after all of them.
 */
export function checkService(spec: Spec): void {
  checkPorts(spec)
  spec.visit('selector')
  if (spec.value.type === 'ExternalName') checkExternal(spec)
  else spec.first(['clusterIPs', 'ipFamilies', 'ipFamilyPolicy'], () => checkAddresses(spec))
  checkExternalAddresses(spec)
  checkPolicies(spec)
  checkSources(spec)
}

/**
 * A headless service and an external name need no ports. Of several ports each has a name of its own. An absent targetPort
 * passes: the defaults have filled it in.
 */
function checkPorts(spec: Spec): void {
  const { ports, type, clusterIP } = spec.value
  if (!ports?.length && type !== 'ExternalName' && clusterIP !== clusterIPNone) {
    spec.required('ports')
  }
  const names = new Set<string>()
  spec.each('ports', (port) => {
    const { name, targetPort = 1, appProtocol } = port.value
    if (!name && (ports ?? []).length > 1) port.required('name')
    port.checkText('name', dnsLabelProblems)
    port.unique('name', names)
    if (appProtocol !== undefined) {
      port.invalidAll('appProtocol', qualifiedNameProblems(appProtocol))
    }
    port.invalidAll('targetPort', targetProblems(targetPort))
  })
  checkNodePorts(spec)
}

/** A number may stand twice for two protocols, but only once for one. */
function checkNodePorts(spec: Spec): void {
  const taken = new Set<string>()
  spec.each('ports', (port) => {
    if (!port.value.nodePort || spec.value.type !== 'ClusterIP') return
    port.forbidden('nodePort', "may not be used when `type` is 'ClusterIP'")
  })
  spec.each('ports', (port) => {
    const { nodePort, protocol = 'TCP' } = port.value
    if (!nodePort) return
    const key = `${protocol} ${nodePort}`
    if (taken.has(key)) port.duplicate('nodePort')
    taken.add(key)
  })
}

/** One bad address is reported by itself, before addresses are compared with families. */
function checkAddresses(spec: Spec): void {
  const { clusterIP = '' } = spec.value
  const addresses = spec.value.clusterIPs ?? []
  const wrong = (detail: string) => spec.invalid('clusterIPs', detail)
  if (clusterIP !== '' && addresses.length === 0) spec.required('clusterIPs')
  else if (addresses.length > 0 && clusterIP === '') {
    wrong('must be empty when `clusterIP` is not specified')
  } else if (addresses.length > 0 && addresses[0] !== clusterIP) {
    wrong('first value must match `clusterIP`')
  }
  const seen = new Set<string>()
  spec.each('ipFamilies', (family) => family.unique('', seen))
  spec.later(() => {
    if (addresses[0] === clusterIPNone && addresses.length > 1) {
      wrong("'None' must be the first and only value")
    }
    spec.each('clusterIPs', (address, at) => {
      if (!isClusterIP(address.value, at)) address.invalidAll('', addressProblems(address.value))
    })
    if (addresses.length > 2) wrong('may only hold up to 2 values')
    if (addresses.every(isClusterIP) && addresses.lastIndexOf(clusterIPNone) < 1) checkStacks(spec)
  })
}

/** Addresses that others route to the service; and a service that is reached from outside has an address of its own. */
function checkExternalAddresses(spec: Spec): void {
  const { type, clusterIP } = spec.value
  if ((type === 'NodePort' || type === 'LoadBalancer') && clusterIP === clusterIPNone) {
    spec.invalid('clusterIPs[0]', `may not be set to 'None' for ${type} services`, clusterIPNone)
  }
  spec.visit('externalIPs')
}

/** An empty text is none: the field is left out instead. */
function isClusterIP(address: string, at: number): boolean {
  return (address === clusterIPNone && at === 0) || familyOf(address) !== undefined
}

/** Addresses are of different families, and of those that the service names. */
function checkStacks(spec: Spec) {
  const { ipFamilies } = spec.value
  const addresses = spec.value.clusterIPs ?? []
  const families = addresses.map(addressFamily)
  if (addresses[0] === clusterIPNone && addresses.length === 1) return
  if (families.length > 1 && new Set(families).size === 1) {
    spec.invalid('clusterIPs', 'may specify no more than one IP for each IP family')
  }
  spec.each('clusterIPs', (address, at) => {
    const named = ipFamilies?.[at]
    if ((named !== 'IPv4' && named !== 'IPv6') || named === families[at]) return
    address.invalid('', `expected an ${named} value as indicated by \`ipFamilies[${at}]\``)
  })
}

/**
 * A service that is another name has no addresses of its own.
 * A dot at the end of the name is allowed. A new `clusterIP` is in `clusterIPs`, too; one that an update brings alone is
 * let pass.
 */
function checkExternal(spec: Spec): void {
  const { clusterIPs, ipFamilies, ipFamilyPolicy, externalName } = spec.value
  const why = 'may not be set for ExternalName services'
  spec.passOver('ipFamilies')
  spec.passOver('ipFamilyPolicy')
  if (ipFamilies?.length) spec.forbidden('ipFamilies', why)
  if (ipFamilyPolicy) spec.forbidden('ipFamilyPolicy', why)
  if (clusterIPs?.length) spec.forbidden('clusterIPs', why)
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
  const { type, externalTrafficPolicy, healthCheckNodePort } = spec.value
  if (type !== 'LoadBalancer' && spec.value.allocateLoadBalancerNodePorts !== undefined) {
    spec.forbidden('allocateLoadBalancerNodePorts', onlyBalanced)
  }
  checkBalancerClass(spec)
  if (externalTrafficPolicy && !isExternallyAccessible(spec.value)) {
    const why = 'may only be set for externally-accessible services'
    spec.passOver('externalTrafficPolicy')
    spec.invalid('externalTrafficPolicy', why)
  }
  if (healthCheckNodePort && !needsHealthCheck(spec.value)) {
    spec.passOver('healthCheckNodePort')
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
    const why = 'must be a list of IP ranges. For example, 10.240.0.0/24,10.250.0.0/24 '
    spec.invalid(told, why, `[${ranges.join(' ')}]`)
  }
}
