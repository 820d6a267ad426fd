/** What becomes of a service's addresses and ports when it changes. */

import type { FieldError } from '../../../kernel/validation/field-error.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import { change, changeAll } from '../../strategy/change.ts'
import { forbidden, invalid } from '../../types/field-errors.ts'
import type { ServicePort, ServiceSpec } from '../../types/shapes.ts'

/** True for types that have a cluster address. */
export function needsClusterIP({ type = 'ClusterIP' }: ServiceSpec): boolean {
  return type === 'ClusterIP' || type === 'NodePort' || type === 'LoadBalancer'
}

/** True for services that traffic from outside can reach. */
export function isExternallyAccessible({ type, externalIPs }: ServiceSpec): boolean {
  const listed = type === 'ClusterIP' && (externalIPs?.length ?? 0) > 0
  return type === 'NodePort' || type === 'LoadBalancer' || listed
}

/** True for services whose ports are opened on every node. */
export function needsNodePort({ type, allocateLoadBalancerNodePorts }: ServiceSpec): boolean {
  return type === 'NodePort' || (type === 'LoadBalancer' && allocateLoadBalancerNodePorts !== false)
}

/** True for services whose balancers ask each node whether it has a backend. */
export function needsHealthCheck({ type, externalTrafficPolicy }: ServiceSpec): boolean {
  return type === 'LoadBalancer' && externalTrafficPolicy === 'Local'
}

/** `clusterIP` and the first of `clusterIPs` are one field: a client that knows only the older one moves both. */
export function normalizeClusterIPs(spec: ServiceSpec, old?: ServiceSpec): ServiceSpec {
  const { clusterIP, clusterIPs } = spec
  const untouched = old !== undefined && deepEqual(clusterIPs ?? [], old.clusterIPs ?? [])
  if (
    old === undefined ? (clusterIPs?.length ?? 0) > 0 : !untouched || clusterIP === old.clusterIP
  ) {
    return spec
  }
  return change(spec, { clusterIPs: clusterIP ? [clusterIP] : undefined })
}

/** What was allocated and the client left out is taken from the old service. */
export function keepAllocatedValues(spec: ServiceSpec, old: ServiceSpec): ServiceSpec {
  const kept = needsClusterIP(spec) && needsClusterIP(old) ? keepAddresses(spec, old) : spec
  const ports = needsNodePort(spec) && needsNodePort(old) ? keepNodePorts(spec, old) : spec.ports
  const healthCheckNodePort =
    needsHealthCheck(spec) && needsHealthCheck(old)
      ? spec.healthCheckNodePort || old.healthCheckNodePort
      : spec.healthCheckNodePort
  return change(kept, { ports, healthCheckNodePort })
}

function keepAddresses(spec: ServiceSpec, old: ServiceSpec): ServiceSpec {
  const clusterIP = spec.clusterIP || old.clusterIP
  const listed = (spec.clusterIPs?.length ?? 0) > 0 || clusterIP !== old.clusterIP
  return change(spec, { clusterIP, clusterIPs: listed ? spec.clusterIPs : old.clusterIPs })
}

function keepNodePorts(spec: ServiceSpec, old: ServiceSpec): ServiceSpec['ports'] {
  const taken = new Set(spec.ports?.map(({ nodePort }) => nodePort))
  const before = new Map(old.ports?.map((port) => [identity(port), port.nodePort]))
  return changeAll(spec.ports, (port) => {
    const nodePort = before.get(identity(port))
    return port.nodePort || !nodePort || taken.has(nodePort) ? port : { ...port, nodePort }
  })
}

function identity({ port, protocol = 'TCP' }: ServicePort): string {
  return `${protocol} ${port}`
}

/** What the new type does not need goes, unless the client changed it too: then it must be told that it cannot. */
export function dropTypeDependentFields(spec: ServiceSpec, old: ServiceSpec): ServiceSpec {
  const left = (needs: (spec: ServiceSpec) => boolean) => needs(old) && !needs(spec)
  const balanced = ({ type }: ServiceSpec) => type === 'LoadBalancer'
  let next = spec
  if (left(needsClusterIP)) {
    next = release(next, old, ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'])
  }
  if (left(needsNodePort)) next = change(next, { ports: releaseNodePorts(spec, old) })
  if (left(needsHealthCheck)) next = release(next, old, ['healthCheckNodePort'])
  if (left(balanced)) {
    next = release(next, old, ['allocateLoadBalancerNodePorts', 'loadBalancerClass'])
  }
  if (left(isExternallyAccessible)) next = release(next, old, ['externalTrafficPolicy'])
  return left(needsClusterIP) ? release(next, old, ['internalTrafficPolicy']) : next
}

function release(
  spec: ServiceSpec,
  old: ServiceSpec,
  fields: readonly (keyof ServiceSpec)[],
): ServiceSpec {
  const unchanged = fields.filter((field) => deepEqual(spec[field], old[field]))
  return change(spec, Object.fromEntries(unchanged.map((field) => [field, undefined])))
}

function releaseNodePorts(spec: ServiceSpec, old: ServiceSpec): ServiceSpec['ports'] {
  const numbers = ({ ports }: ServiceSpec) => (ports ?? []).map(({ nodePort }) => nodePort)
  if (!deepEqual(numbers(spec), numbers(old))) return spec.ports
  return changeAll(spec.ports, (port) => change(port, { nodePort: undefined }))
}

/** The primary address stays as long as the service has one; so does the class of a load balancer. */
export function checkServiceUpdate(spec: ServiceSpec, old: ServiceSpec): readonly FieldError[] {
  const kept = spec.type === 'LoadBalancer' && old.type === 'LoadBalancer'
  return [
    ...checkMoves(spec, old),
    ...(needsHealthCheck(spec) &&
    needsHealthCheck(old) &&
    spec.healthCheckNodePort !== old.healthCheckNodePort
      ? [forbidden('spec.healthCheckNodePort', 'field is immutable')]
      : []),
    ...(kept && spec.loadBalancerClass !== old.loadBalancerClass
      ? [invalid('spec.loadBalancerClass', spec.loadBalancerClass, 'may not change once set')]
      : []),
  ]
}

/** A second address or family may come and go, the first one stays; what is headless stays so. */
function checkMoves(spec: ServiceSpec, old: ServiceSpec): readonly FieldError[] {
  if (!needsClusterIP(spec) || !needsClusterIP(old)) return []
  const bare = ({ clusterIP }: ServiceSpec) => clusterIP === 'None'
  const addresses = bare(spec) && bare(old) ? [] : checkKept('clusterIPs', 'clusterIP', spec, old)
  const named = (spec.ipFamilies?.length ?? 0) > 0 && !bare(spec) && !bare(old)
  const families = named ? checkKept('ipFamilies', 'ipFamily', spec, old) : []
  return [...addresses, ...families]
}

function checkKept(
  field: 'clusterIPs' | 'ipFamilies',
  one: string,
  spec: ServiceSpec,
  old: ServiceSpec,
): readonly FieldError[] {
  const [before, after] = [old[field] ?? [], spec[field] ?? []]
  const path = `spec.${field}`
  if (before.length > 0 && after.length === 0) {
    return [invalid(`${path}[0]`, after, `primary ${one} can not be unset`)]
  }
  const both = before.slice(0, before.length === after.length ? 2 : 1)
  const released = before.length > after.length && spec.ipFamilyPolicy !== 'SingleStack'
  const why = `must be set to 'SingleStack' when releasing the secondary ${one}`
  return [
    ...both.flatMap((value, at) =>
      value === after[at] ? [] : [invalid(`${path}[${at}]`, after, 'may not change once set')],
    ),
    ...(released ? [invalid('spec.ipFamilyPolicy', spec.ipFamilyPolicy, why)] : []),
  ]
}
