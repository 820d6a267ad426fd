/** Services that are reached on this machine, and their names: what runs in the process of `orch up` beside its node. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hostname, networkInterfaces } from 'node:os'
import { getuid } from 'node:process'
import { services } from '../../../generated/apis/core/v1/service.ts'
import { endpointSlices } from '../../../generated/apis/discovery/v1.ts'
import type { RunningApiServer } from '../../../runtime/apiserver/apiserver.ts'
import type { Client } from '../../../runtime/client/client.ts'
import type { Options } from '../../../runtime/config/config.ts'
import { systemClock, systemRandom } from '../../../runtime/kernel/async/clock.ts'
import type { Platform } from '../../../runtime/kernel/descriptors/platform.ts'
import { errorText } from '../../../runtime/kernel/errors/error-text.ts'
import { addressAt, parseRange } from '../../../runtime/kernel/values/ip-ranges.ts'
import type { Log } from '../../../runtime/observe/observe.ts'
import { clientsOf, type Running, runUntilStopped } from '../in-process.ts'
import { leadToServer } from '../lead-to-server.ts'

/** What services are led by. */
export interface RunServicesOptions {
  readonly platform: Platform
  /** Where the addresses of services lie. */
  readonly serviceRange: string
  /** False where the port of names is not to be had. */
  readonly servesNames: boolean
  /** What tells this cluster from others on the machine. */
  readonly identity: string
  readonly log: Log
  print(line: string): void
}

/** The domain of the names of services. */
export const clusterDomain = 'cluster.local'

/** Which address of the range is that of the name server. */
export const dnsOffset = 10

/** An address of a range; empty for what is none, which the server refuses. */
export function addressIn(serviceRange: string, offset: number): string {
  const range = parseRange(serviceRange)
  return range === undefined ? '' : addressAt(range, offset)
}

/**
 * The ranges that were asked for. Without any, a node that an ordinary user runs has one of loopback, for its processes can listen at no other address;
 * objects that are kept have been given others before.
 */
export function serviceRangesOf(options: Options): readonly string[] {
  const isUsers = options.boolean('node') && getuid?.() !== 0 && options.string('data-dir') === ''
  const isSaid = options.origin('service-cluster-ip-range') !== 'default'
  return isUsers && !isSaid ? ['127.96.0.0/24'] : options.strings('service-cluster-ip-range')
}

/** What an ordinary user's processes cannot listen at is chosen so that they can, or left out. */
export interface UserPorts {
  /** The port of the service of the API. */
  readonly api: number
  /** Whether names of services can be served, at the one port at which name servers are asked. */
  readonly names: boolean
}

/** The ports of a node's services that this process can have. */
export function userPortsOf(options: Options): UserPorts {
  const lowest = options.boolean('node') && getuid?.() !== 0 ? lowestUserPort() : 0
  return { api: lowest > 443 ? 6443 : 443, names: lowest <= 53 }
}

/** The lowest port that is not for root alone. */
function lowestUserPort(): number {
  try {
    return Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'))
  } catch {
    return 1024
  }
}

/** The address of the machine by which pods with a network of their own reach it; that of loopback if there is none. */
function machineAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((found) => found ?? [])
  return all.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.1'
}

const noNames =
  'names of services are not served: port 53 is for root here (sysctl net.ipv4.ip_unprivileged_port_start); pods find services by variables such as WEB_SERVICE_HOST'

function wayLine(name: string, why: string): string {
  const how = name === 'userland' ? 'userland listeners' : name
  return `services are led by ${how}${why === '' ? '' : `: ${why}`}`
}

/** Leads services and serves their names until it is stopped. Its code is loaded once the server is ready. */
export function runServices(
  server: Pick<RunningApiServer, 'dispatch' | 'url'>,
  options: RunServicesOptions,
): Running {
  return runUntilStopped(async (signal) => {
    const [{ runServiceProxy }, { runClusterDns }] = await Promise.all([
      import('../../../runtime/service-proxy/service-proxy.ts'),
      import('../../../runtime/cluster-dns/cluster-dns.ts'),
    ])
    const { platform, serviceRange, servesNames, log, print } = options
    const user = { username: 'system:services', groups: ['system:masters'] }
    const client = clientsOf(server)(user, 'services')
    const address = machineAddress()
    const facts = { client, platform, clock: systemClock, random: systemRandom, log }
    const hash = createHash('sha256').update(options.identity).digest('hex').slice(0, 12)
    if (!servesNames) print(noNames)
    await Promise.all([
      leadToServer({ address, port: Number(new URL(server.url).port) }, signal).catch(warn),
      runServiceProxy(
        {
          ...{ ...facts, nodeName: hostname().toLowerCase(), table: `orch-services-${hash}` },
          nodeAddresses: [...new Set(['127.0.0.1', address])],
          onWay: ({ name, why }) => print(wayLine(name, why)),
        },
        signal,
      ),
      servesNames &&
        runClusterDns(
          {
            ...{ ...facts, domain: clusterDomain, host: address, port: 0 },
            own: [addressIn(serviceRange, dnsOffset)],
            onReady: (port) => void serveNames(client, port).catch(warn),
          },
          signal,
        ),
    ])

    async function serveNames(asked: Client, port: number): Promise<void> {
      await registerDns(asked, {
        platform,
        address,
        port,
        clusterIP: addressIn(serviceRange, dnsOffset),
      })
    }

    function warn(error: unknown): void {
      log.warn('not everything of services is served', { reason: errorText(error) })
    }
  })
}

/** Where the name server is. */
interface DnsPlace {
  readonly platform: Platform
  readonly clusterIP: string
  readonly address: string
  readonly port: number
}

/** Gives the name server its service, whose endpoint is the port of this machine. */
async function registerDns(
  client: Client,
  { platform, clusterIP, address, port }: DnsPlace,
): Promise<void> {
  const namespace = `${platform.prefix}-system`
  const name = `${platform.prefix}-dns`
  const protocols = [
    { name: 'dns', protocol: 'UDP' as const },
    { name: 'dns-tcp', protocol: 'TCP' as const },
  ]
  const labels = { [`app.${platform.domain}/managed-by`]: 'orch-up' }
  await client
    .resource(services)
    .in(namespace)
    .apply(
      {
        metadata: { name, labels },
        spec: { clusterIP, ports: protocols.map((one) => ({ ...one, port: 53 })) },
      },
      { force: true },
    )
  await client
    .resource(endpointSlices)
    .in(namespace)
    .apply(
      {
        metadata: {
          name: `${name}-machine`,
          labels: { ...labels, [`${platform.domain}/service-name`]: name },
        },
        addressType: 'IPv4',
        endpoints: [{ addresses: [address], conditions: { ready: true } }],
        ports: protocols.map((one) => ({ ...one, port })),
      },
      { force: true },
    )
}
