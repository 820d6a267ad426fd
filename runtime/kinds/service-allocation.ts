/** The addresses and node ports of services. */
import { isIP } from 'node:net'
import type { ApiObject } from '../kernel/object.ts'
import type { Finding } from '../kernel/read.ts'
import { canonicalAddress } from './addresses.ts'
import type { Allocated, Allocation, Holding, Lease } from './allocations.ts'
import { change } from './change.ts'
import { invalid } from './findings.ts'
import { familiesOf, nodePorts } from './pools.ts'
import { headless, settleFamilies } from './service-families.ts'
import { checksHealth, clustered, opensNodePorts } from './service-update.ts'
import type { Service, ServicePort, ServiceSpec } from './shapes.ts'

/** A service gets an address of each of its families, and a port of every node for each of its own that nodes open. */
export const serviceAddresses: Allocation = {
  holds: (object, pools) =>
    holdingsOf((object as Service).spec ?? {}).filter(({ pool }) => pools.has(pool)),
  async fill(object, before, lease) {
    const { spec } = object as Service
    if (spec === undefined) return { object }
    const settled = settleFamilies(
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

type Filled = { readonly spec: ServiceSpec } | Exclude<Allocated, { readonly object: ApiObject }>

function holdingsOf(spec: ServiceSpec): readonly Holding[] {
  const { clusterIP, clusterIPs = [], ports, healthCheckNodePort } = spec
  const listed = clusterIPs?.length ? clusterIPs : clusterIP ? [clusterIP] : []
  const addresses = clustered(spec) ? listed.filter((one) => isIP(one) !== 0) : []
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
async function withAddresses(spec: ServiceSpec, lease: Lease): Promise<Filled> {
  const given = spec.clusterIPs ?? []
  if (!clustered(spec) || given[0] === headless) return { spec }
  const clusterIPs: string[] = []
  for (const [at, family] of (spec.ipFamilies ?? []).entries()) {
    const wanted = given[at]
    if (wanted) {
      const problem = await lease.take(family, wanted)
      if (problem !== undefined) {
        const detail = `failed to allocate IP ${wanted}: ${problem}`
        return { findings: [invalid('spec.clusterIPs', given, detail)] }
      }
    }
    const address = wanted || (await lease.next(family))
    if (address === undefined) {
      return { failure: 'failed to allocate a serviceIP: range is full' }
    }
    clusterIPs.push(address)
  }
  return { spec: change(spec, { clusterIPs, clusterIP: clusterIPs[0] }) }
}

/** A new service that offers one port over several protocols has one node port for them. */
async function withNodePorts(spec: ServiceSpec, shares: boolean, lease: Lease): Promise<Filled> {
  if (spec.type !== 'NodePort' && spec.type !== 'LoadBalancer') return { spec }
  const findings: Finding[] = []
  for (const [at, { nodePort }] of (spec.ports ?? []).entries()) {
    const problem = nodePort ? await lease.take(nodePorts, String(nodePort)) : undefined
    if (problem) findings.push(invalid(`spec.ports[${at}].nodePort`, nodePort, problem))
  }
  if (findings.length > 0) return { findings }
  if (!opensNodePorts(spec)) return { spec }
  const ports: ServicePort[] = []
  const given = new Map<number | undefined, number>()
  for (const { port, nodePort } of [...(spec.ports ?? [])].reverse()) {
    if (nodePort) given.set(port, nodePort)
  }
  const made = new Map<number | undefined, number>()
  for (const port of spec.ports ?? []) {
    const known = shares ? (made.get(port.port) ?? given.get(port.port)) : undefined
    const nodePort = port.nodePort || known || Number(await lease.next(nodePorts))
    if (Number.isNaN(nodePort)) return { failure: 'failed to allocate a nodePort: range is full' }
    if (!made.has(port.port)) made.set(port.port, nodePort)
    ports.push(change(port, { nodePort }))
  }
  return { spec: change(spec, { ports }) }
}

async function withHealthPort(spec: ServiceSpec, lease: Lease): Promise<Filled> {
  if (!checksHealth(spec)) return { spec }
  const wanted = spec.healthCheckNodePort
  if (!wanted) {
    const port = await lease.next(nodePorts)
    return port === undefined
      ? { failure: 'failed to allocate a HealthCheck NodePort 0: range is full' }
      : { spec: change(spec, { healthCheckNodePort: Number(port) }) }
  }
  const problem = await lease.take(nodePorts, String(wanted))
  return problem === undefined
    ? { spec }
    : { failure: `failed to allocate requested HealthCheck NodePort ${wanted}: ${problem}` }
}
