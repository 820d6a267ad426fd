/** The addresses and node ports of services. */
import { isIP } from 'node:net'
import type { ApiObject } from '../../../kernel/meta/object.ts'
import type { FieldError } from '../../../kernel/validation/field-error.ts'
import type {
  AllocatedValue,
  AllocationResult,
  AllocationStrategy,
  Allocator,
} from '../../strategy/allocations.ts'
import { change } from '../../strategy/change.ts'
import { canonicalAddress } from '../../types/addresses.ts'
import { invalid } from '../../types/field-errors.ts'
import type { Service, ServicePort, ServiceSpec } from '../../types/shapes.ts'
import { familiesOf, nodePorts } from './pools.ts'
import { clusterIPNone, resolveFamilies } from './service-families.ts'
import { needsClusterIP, needsHealthCheck, needsNodePort } from './service-update.ts'

/** A service gets an address of each of its families, and a port of every node for each of its own that nodes open. */
export const serviceAddresses: AllocationStrategy = {
  allocatedValues: (object, pools) =>
    allocatedValuesOf((object as Service).spec ?? {}).filter(({ pool }) => pools.has(pool)),
  async allocate(object, before, lease) {
    const { spec } = object as Service
    if (spec === undefined) return { object }
    const settled = resolveFamilies(
      spec,
      (before as Service | undefined)?.spec,
      familiesOf(lease.pools),
    )
    if ('findings' in settled) return settled
    const addressed = await withAddresses(settled.spec, lease)
    if (!('spec' in addressed)) return addressed
    const opened = await withNodePorts(addressed.spec, before === undefined, lease)
    if (!('spec' in opened)) return opened
    const checked = await withHealthPort(opened.spec, lease)
    return 'spec' in checked ? { object: change(object as Service, checked) } : checked
  },
}

type SpecResult =
  | { readonly spec: ServiceSpec }
  | Exclude<AllocationResult, { readonly object: ApiObject }>

function allocatedValuesOf(spec: ServiceSpec): readonly AllocatedValue[] {
  const { clusterIP, clusterIPs = [], ports, healthCheckNodePort } = spec
  const listed = clusterIPs?.length ? clusterIPs : clusterIP ? [clusterIP] : []
  const addresses = needsClusterIP(spec) ? listed.filter((one) => isIP(one) !== 0) : []
  const numbers = [...(ports ?? []).map(({ nodePort }) => nodePort), healthCheckNodePort]
  return [
    ...addresses.map((one) => ({ pool: familyOf(one), value: canonicalAddress(one) ?? one })),
    ...[...new Set(numbers)].flatMap((port) =>
      port ? [{ pool: nodePorts, value: String(port) }] : [],
    ),
  ]
}

function familyOf(address: string): string {
  return isIP(address) === 6 ? 'IPv6' : 'IPv4'
}

/** A service without a type that has one, and one that wants none, are left as they are. */
async function withAddresses(spec: ServiceSpec, lease: Allocator): Promise<SpecResult> {
  const given = spec.clusterIPs ?? []
  if (!needsClusterIP(spec) || given[0] === clusterIPNone) return { spec }
  const clusterIPs: string[] = []
  for (const [at, family] of (spec.ipFamilies ?? []).entries()) {
    const wanted = given[at]
    if (wanted) {
      const problem = await lease.allocate(family, wanted)
      if (problem !== undefined) {
        const detail = `failed to allocate IP ${wanted}: ${problem}`
        return { findings: [invalid('spec.clusterIPs', given, detail)] }
      }
    }
    const address = wanted || (await lease.allocateNext(family))
    if (address === undefined) {
      return { failure: 'failed to allocate a serviceIP: range is full' }
    }
    clusterIPs.push(address)
  }
  return { spec: change(spec, { clusterIPs, clusterIP: clusterIPs[0] }) }
}

/** A new service that offers one port over several protocols has one node port for them. */
async function withNodePorts(
  spec: ServiceSpec,
  shares: boolean,
  lease: Allocator,
): Promise<SpecResult> {
  if (spec.type !== 'NodePort' && spec.type !== 'LoadBalancer') return { spec }
  const findings: FieldError[] = []
  for (const [at, { nodePort }] of (spec.ports ?? []).entries()) {
    const problem = nodePort ? await lease.allocate(nodePorts, String(nodePort)) : undefined
    if (problem) findings.push(invalid(`spec.ports[${at}].nodePort`, nodePort, problem))
  }
  if (findings.length > 0) return { findings }
  if (!needsNodePort(spec)) return { spec }
  const ports: ServicePort[] = []
  const given = new Map<number | undefined, number>()
  for (const { port, nodePort } of [...(spec.ports ?? [])].reverse()) {
    if (nodePort) given.set(port, nodePort)
  }
  const made = new Map<number | undefined, number>()
  for (const port of spec.ports ?? []) {
    const known = shares ? (made.get(port.port) ?? given.get(port.port)) : undefined
    const nodePort = port.nodePort || known || Number(await lease.allocateNext(nodePorts))
    if (Number.isNaN(nodePort)) return { failure: 'failed to allocate a nodePort: range is full' }
    if (!made.has(port.port)) made.set(port.port, nodePort)
    ports.push(change(port, { nodePort }))
  }
  return { spec: change(spec, { ports }) }
}

async function withHealthPort(spec: ServiceSpec, lease: Allocator): Promise<SpecResult> {
  if (!needsHealthCheck(spec)) return { spec }
  const wanted = spec.healthCheckNodePort
  if (!wanted) {
    const port = await lease.allocateNext(nodePorts)
    return port === undefined
      ? { failure: 'failed to allocate a HealthCheck NodePort 0: range is full' }
      : { spec: change(spec, { healthCheckNodePort: Number(port) }) }
  }
  const problem = await lease.allocate(nodePorts, String(wanted))
  return problem === undefined
    ? { spec }
    : { failure: `failed to allocate requested HealthCheck NodePort ${wanted}: ${problem}` }
}
