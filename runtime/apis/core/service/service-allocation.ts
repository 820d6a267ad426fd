/** The addresses and node ports of services. */
import type {
  Service as GeneratedService,
  ServicePort,
  ServiceSpec,
} from '../../../../generated/apis/core/v1/service.ts'
import type { ApiObject } from '../../../kernel/meta/object.ts'
import type { FieldError } from '../../../kernel/validation/field-error.ts'
import { invalid } from '../../../kernel/validation/field-errors.ts'
import { change } from '../../../kernel/values/change.ts'
import { plainAddress } from '../../../kernel/values/ip-ranges.ts'
import type { Loose, LooseObject } from '../../../kernel/walker/loose.ts'
import type {
  AllocatedValue,
  AllocationResult,
  AllocationStrategy,
  Allocator,
} from '../../strategy/allocator.ts'
import { addressFamily, familiesOf, nodePorts } from './pools.ts'
import { clusterIPNone, resolveFamilies } from './service-families.ts'
import { needsClusterIP, needsHealthCheck, needsNodePort } from './service-update.ts'

type Service = LooseObject<GeneratedService>
type Spec = Loose<ServiceSpec>

/**
 * A service gets an address of each of its families, and a port of every node for each of its own
 * that nodes open.
 * The steps are families, addresses, node ports, port of the health check; the first one with an
 * error ends the work (supplement I-07).
 */
export const serviceAddresses: AllocationStrategy = {
  allocatedValues: (object, pools) =>
    allocatedValuesOf((object as Service).spec ?? {}).filter(({ pool }) => pools.has(pool)),
  async allocate(object, old, allocator) {
    const { spec } = object as Service
    if (spec === undefined) return { object }
    const before = (old as Service | undefined)?.spec
    let result: SpecResult = resolveFamilies(spec, before, familiesOf(allocator.pools))
    if ('spec' in result) result = await withAddresses(result.spec, before, allocator)
    if ('spec' in result) result = await withNodePorts(result.spec, old === undefined, allocator)
    if ('spec' in result) result = await withHealthPort(result.spec, allocator)
    return 'spec' in result ? { object: change(object as Service, result) } : result
  },
}

type SpecResult =
  | { readonly spec: Spec }
  | Exclude<AllocationResult, { readonly object: ApiObject }>

/**
 * Each port number once, since ports of two protocols may share it. Addresses of a type without a
 * cluster IP are not held, and neither is `None`.
 */
function allocatedValuesOf(spec: Spec): readonly AllocatedValue[] {
  const { clusterIP, clusterIPs = [], ports, healthCheckNodePort } = spec
  const listed = clusterIPs?.length ? clusterIPs : clusterIP ? [clusterIP] : []
  const addresses = needsClusterIP(spec)
    ? listed.filter((one) => plainAddress(one) !== undefined)
    : []
  const numbers = [...(ports ?? []).map(({ nodePort }) => nodePort), healthCheckNodePort]
  return [
    ...addresses.map((one) => ({ pool: addressFamily(one), value: plainAddress(one) ?? one })),
    ...[...new Set(numbers)].flatMap((port) =>
      port ? [{ pool: nodePorts, value: String(port) }] : [],
    ),
  ]
}

/**
 * A service without a type that has one, and one that wants none, are left as they are.
 * Addresses are taken in the order of the families; in the place of one that the service has, none
 * is, whether the client moved it or not: validation judges that. One that the client chose and
 * cannot have is the client's error; a range that is used up is the failure of the server.
 */
async function withAddresses(
  spec: Spec,
  before: Spec | undefined,
  allocator: Allocator,
): Promise<SpecResult> {
  const given = spec.clusterIPs ?? []
  const had = before && needsClusterIP(before) ? (before.clusterIPs?.length ?? 0) : 0
  if (!needsClusterIP(spec) || given[0] === clusterIPNone) return { spec }
  const clusterIPs: string[] = []
  for (const [at, family] of (spec.ipFamilies ?? []).entries()) {
    const wanted = given[at]
    if (wanted && at >= had) {
      const problem = await allocator.allocate(family, wanted)
      if (problem !== undefined) {
        const detail = `failed to allocate IP ${wanted}: ${problem}`
        return { errors: [invalid('spec.clusterIPs', given, detail)] }
      }
    }
    const address = wanted || (await allocator.allocateNext(family))
    if (address === undefined) {
      return { failure: 'failed to allocate a serviceIP: range is full' }
    }
    clusterIPs.push(address)
  }
  return { spec: change(spec, { clusterIPs, clusterIP: clusterIPs[0] }) }
}

/**
 * Chosen ports are taken before free ones are looked for, so that none of them is given away. A
 * load balancer that wants no node ports still has those that it names.
 */
async function withNodePorts(
  spec: Spec,
  isNew: boolean,
  allocator: Allocator,
): Promise<SpecResult> {
  if (spec.type !== 'NodePort' && spec.type !== 'LoadBalancer') return { spec }
  const errors = await takeNodePorts(spec.ports ?? [], allocator)
  if (errors.length > 0) return { errors }
  if (!needsNodePort(spec)) return { spec }
  const ports = await fillNodePorts(spec.ports ?? [], isNew, allocator)
  if (ports === undefined) return { failure: 'failed to allocate a nodePort: range is full' }
  return { spec: change(spec, { ports }) }
}

/**
 * Takes the node ports that the client chose.
 * All ports are tried, and each that cannot be had is one error.
 */
async function takeNodePorts(
  ports: readonly Loose<ServicePort>[],
  allocator: Allocator,
): Promise<readonly FieldError[]> {
  const errors: FieldError[] = []
  for (const [at, { nodePort }] of ports.entries()) {
    const problem = nodePort ? await allocator.allocate(nodePorts, String(nodePort)) : undefined
    if (problem) errors.push(invalid(`spec.ports[${at}].nodePort`, nodePort, problem))
  }
  return errors
}

/** The ports with a node port each; a new service that offers one port over several protocols has one for them. */
async function fillNodePorts(
  ports: readonly Loose<ServicePort>[],
  isNew: boolean,
  allocator: Allocator,
): Promise<readonly Loose<ServicePort>[] | undefined> {
  const chosen = new Map<number | undefined, number>()
  for (const { port, nodePort } of ports) {
    if (nodePort && !chosen.has(port)) chosen.set(port, nodePort)
  }
  const filled: Loose<ServicePort>[] = []
  for (const port of ports) {
    const shared = isNew ? chosen.get(port.port) : undefined
    const nodePort = port.nodePort || shared || Number(await allocator.allocateNext(nodePorts))
    if (Number.isNaN(nodePort)) return undefined
    if (!chosen.has(port.port)) chosen.set(port.port, nodePort)
    filled.push(change(port, { nodePort }))
  }
  return filled
}

/** That a chosen port cannot be had is a failure here and no field error, as in release 1.29. */
async function withHealthPort(spec: Spec, allocator: Allocator): Promise<SpecResult> {
  if (!needsHealthCheck(spec)) return { spec }
  const wanted = spec.healthCheckNodePort
  if (!wanted) {
    const port = await allocator.allocateNext(nodePorts)
    return port === undefined
      ? { failure: 'failed to allocate a HealthCheck NodePort 0: range is full' }
      : { spec: change(spec, { healthCheckNodePort: Number(port) }) }
  }
  const problem = await allocator.allocate(nodePorts, String(wanted))
  return problem === undefined
    ? { spec }
    : { failure: `failed to allocate requested HealthCheck NodePort ${wanted}: ${problem}` }
}
