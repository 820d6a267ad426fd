/** What becomes of a service's addresses and ports when it changes. */
import type { ServiceSpec } from '../../../../generated/apis/core/v1/service.ts'
import { qualifiedNameProblems } from '../../../kernel/meta/names.ts'
import { change, changeAll } from '../../../kernel/values/change.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import type { Field } from '../../../kernel/walker/field.ts'
import type { Loose } from '../../../kernel/walker/loose.ts'

type Spec = Loose<ServiceSpec>

/**
 * True for types that have a cluster address.
 * An absent type counts as ClusterIP.
 */
export function needsClusterIP({ type = 'ClusterIP' }: Spec): boolean {
  return type === 'ClusterIP' || type === 'NodePort' || type === 'LoadBalancer'
}

/**
 * True for services that traffic from outside can reach.
 * A ClusterIP service is, through its external addresses.
 */
export function isExternallyAccessible({ type, externalIPs }: Spec): boolean {
  const listed = type === 'ClusterIP' && (externalIPs?.length ?? 0) > 0
  return type === 'NodePort' || type === 'LoadBalancer' || listed
}

/** True for services whose ports are opened on every node. */
export function needsNodePort({ type, allocateLoadBalancerNodePorts }: Spec): boolean {
  return type === 'NodePort' || (type === 'LoadBalancer' && allocateLoadBalancerNodePorts !== false)
}

/** True for services whose balancers ask each node whether it has a backend. */
export function needsHealthCheck({ type, externalTrafficPolicy }: Spec): boolean {
  return type === 'LoadBalancer' && externalTrafficPolicy === 'Local'
}

/**
 * `clusterIP` and the first of `clusterIPs` are one field: a client that knows only the older one
 * moves both.
 * In a new service the list is kept if there is one. In an update it follows only if `clusterIP`
 * was changed and the list was not; an emptied `clusterIP` empties the list.
 */
export function normalizeClusterIPs(spec: Spec, old?: Spec): Spec {
  const { clusterIP, clusterIPs } = spec
  const untouched = old !== undefined && deepEqual(clusterIPs ?? [], old.clusterIPs ?? [])
  if (
    old === undefined ? (clusterIPs?.length ?? 0) > 0 : !untouched || clusterIP === old.clusterIP
  ) {
    return spec
  }
  return change(spec, { clusterIPs: clusterIP ? [clusterIP] : undefined })
}

/**
 * What was allocated and the client left out is taken from the old service.
 * So a PUT of a manifest without addresses and ports does not lose them. Only what old and new type
 * both need is kept.
 */
export function keepAllocatedValues(spec: Spec, old: Spec): Spec {
  const kept = needsClusterIP(spec) && needsClusterIP(old) ? keepAddresses(spec, old) : spec
  const ports = needsNodePort(spec) && needsNodePort(old) ? keepNodePorts(spec, old) : spec.ports
  const healthCheckNodePort =
    needsHealthCheck(spec) && needsHealthCheck(old)
      ? spec.healthCheckNodePort || old.healthCheckNodePort
      : spec.healthCheckNodePort
  return change(kept, { ports, healthCheckNodePort })
}

/** What is left out is kept, the address and the list of addresses each by itself. */
function keepAddresses(spec: Spec, old: Spec): Spec {
  return change(spec, {
    clusterIP: spec.clusterIP || old.clusterIP,
    clusterIPs: spec.clusterIPs?.length ? spec.clusterIPs : old.clusterIPs,
  })
}

/** A port is the same if its name is. Its node port is kept unless the new spec gives that node port to another one. */
function keepNodePorts(spec: Spec, old: Spec): Spec['ports'] {
  const taken = new Set(spec.ports?.map(({ nodePort }) => nodePort))
  const before = new Map(old.ports?.map(({ name = '', nodePort }) => [name, nodePort]))
  return changeAll(spec.ports, (port) => {
    const nodePort = before.get(port.name ?? '')
    return port.nodePort || !nodePort || taken.has(nodePort) ? port : { ...port, nodePort }
  })
}

/**
 * What the new type does not need goes, unless the client changed it too: then validation refuses
 * it.
 * Each group of fields is asked by itself. A change of type alone can so be sent without clearing
 * the fields of the old type (supplement I-07).
 */
export function dropTypeDependentFields(spec: Spec, old: Spec): Spec {
  const left = (needs: (spec: Spec) => boolean) => needs(old) && !needs(spec)
  const balanced = ({ type }: Spec) => type === 'LoadBalancer'
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

/** Removes those fields that are as they were. */
function release(spec: Spec, old: Spec, fields: readonly (keyof Spec)[]): Spec {
  const unchanged = fields.filter((field) => deepEqual(spec[field], old[field]))
  return change(spec, Object.fromEntries(unchanged.map((field) => [field, undefined])))
}

/** All or none: if any node port was changed, the client has said what it wants. */
function releaseNodePorts(spec: Spec, old: Spec): Spec['ports'] {
  const numbers = ({ ports }: Spec) => (ports ?? []).map(({ nodePort }) => nodePort)
  if (!deepEqual(numbers(spec), numbers(old))) return spec.ports
  return changeAll(spec.ports, (port) => change(port, { nodePort: undefined }))
}

/**
 * The primary address stays as long as the service has one; so does the class of a load balancer.
 * Errors in the order addresses and families, port of the health check, class. A type that is given
 * up and taken again may bring other values.
 */
export function checkServiceUpdate(spec: Field<ServiceSpec>, old: Spec): void {
  const { type, healthCheckNodePort, loadBalancerClass } = spec.value
  checkMoves(spec, old)
  const checked = needsHealthCheck(spec.value) && needsHealthCheck(old)
  if (checked && healthCheckNodePort !== old.healthCheckNodePort) {
    spec.forbidden('healthCheckNodePort', 'field is immutable')
  }
  const balanced = type === 'LoadBalancer' && old.type === 'LoadBalancer'
  if (balanced && loadBalancerClass !== old.loadBalancerClass) {
    spec.invalid('loadBalancerClass', 'may not change once set')
  }
  spec.again(() => checkBalancerClass(spec))
}

/** The class of a load balancer, which no other service has; of an update it is judged twice. */
export function checkBalancerClass(spec: Field<ServiceSpec>): void {
  const { type, loadBalancerClass } = spec.value
  if (loadBalancerClass === undefined) return
  if (type === 'LoadBalancer') {
    spec.invalidAll('loadBalancerClass', qualifiedNameProblems(loadBalancerClass))
  } else {
    spec.forbidden('loadBalancerClass', "may only be used when `type` is 'LoadBalancer'")
  }
}

/** A second address or family may come and go, the first one stays; what is headless stays so. */
function checkMoves(spec: Field<ServiceSpec>, old: Spec): void {
  if (!needsClusterIP(spec.value) || !needsClusterIP(old)) return
  const bare = ({ clusterIP }: Spec) => clusterIP === 'None'
  if (!bare(spec.value) || !bare(old)) checkKept(spec, 'clusterIPs', 'clusterIP', old)
  const named = (spec.value.ipFamilies?.length ?? 0) > 0 && !bare(spec.value) && !bare(old)
  if (named) checkKept(spec, 'ipFamilies', 'ipFamily', old)
}

/**
 * Any index may not change while the count stays. To release the second value, the policy has to
 * say SingleStack, so that it does not happen by leaving it out.
 */
function checkKept(
  spec: Field<ServiceSpec>,
  key: 'clusterIPs' | 'ipFamilies',
  one: string,
  old: Spec,
) {
  const [before, after] = [old[key] ?? [], spec.value[key] ?? []]
  if (before.length > 0 && after.length === 0) {
    return spec.invalid(`${key}[0]`, `primary ${one} can not be unset`, after)
  }
  for (const at of before.length === after.length ? [0, 1] : [0]) {
    if (at < before.length && before[at] !== after[at]) {
      spec.invalid(`${key}[${at}]`, 'may not change once set', after)
    }
  }
  if (before.length > after.length && spec.value.ipFamilyPolicy !== 'SingleStack') {
    const why = `must be set to 'SingleStack' when releasing the secondary ${one}`
    spec.invalid('ipFamilyPolicy', why)
  }
}
