import { namespaces } from '../../../generated/apis/core/v1/namespace.ts'
import { services } from '../../../generated/apis/core/v1/service.ts'
import { endpointSlices } from '../../../generated/apis/discovery/v1.ts'
import type { Client } from '../../client/client.ts'
import { createInformer } from '../../informer/informer.ts'
import { aborted } from '../../kernel/async/abort-signal.ts'
import type { Clock, Random } from '../../kernel/async/clock.ts'
import type { Platform } from '../../kernel/descriptors/platform.ts'
import type { Log } from '../../observe/observe.ts'
import type { ClusterNames } from '../contract/cluster-names.ts'
import { type DnsServer, serveDns } from '../serving/dns-server.ts'
import { machineNameServers } from '../serving/upstream.ts'

/** Which names are served, and where. */
export interface ClusterDnsOptions {
  /** May read services, slices and namespaces. */
  readonly client: Client
  readonly platform: Platform
  /** Such as `cluster.local`. */
  readonly domain: string
  readonly host: string
  readonly port: number
  /** Addresses at which this server is found: they are not asked about other names. */
  readonly own: readonly string[]
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Hears of the port once names are answered. */
  readonly onReady: (port: number) => void
}

/** Seconds that answers may be kept: names of pods that come and go are not to be old. */
const ttl = 5

/** Answers questions about names until `signal` aborts. @throws the error of a port that cannot be bound. */
export async function runClusterDns(
  options: ClusterDnsOptions,
  signal: AbortSignal,
): Promise<void> {
  const { client, platform, domain, host, port, own, clock, random, log } = options
  const usual = { clock, log, keepAlive: false }
  const label = `${platform.domain}/service-name`
  const serviceCache = createInformer(client.resource(services), {
    ...{ ...usual, indexers: { address: ({ spec }) => spec?.clusterIPs ?? [] } },
  })
  const sliceCache = createInformer(client.resource(endpointSlices), {
    ...usual,
    indexers: {
      service: ({ metadata }) => [`${metadata.namespace}/${metadata.labels?.[label]}`],
      address: ({ endpoints }) => (endpoints ?? []).flatMap(({ addresses }) => addresses),
    },
  })
  const namespaceCache = createInformer(client.resource(namespaces), {
    ...{ ...usual, metadataOnly: true },
  })
  const informers = [serviceCache, sliceCache, namespaceCache]
  const following = informers.map((one) => one.run(signal))
  const names: ClusterNames = {
    service: (namespace, name) => serviceCache.cache.get({ namespace, name }),
    hasNamespace: (name) => namespaceCache.cache.get({ name }) !== undefined,
    slicesOf: (namespace, name) => sliceCache.cache.index('service', `${namespace}/${name}`),
    servicesAt: (address) => serviceCache.cache.index('address', address),
    slicesAt: (address) => sliceCache.cache.index('address', address),
    serviceOf: ({ metadata }) => metadata.labels?.[label],
  }
  let server: DnsServer | undefined
  try {
    await Promise.race([Promise.all(informers.map(({ synced }) => synced)), aborted(signal)])
    if (signal.aborted) return
    server = await serveDns({
      ...{ names, zone: domain.toLowerCase(), ttl, host, port, clock, random, log },
      upstream: machineNameServers([host, ...own]),
    })
    options.onReady(server.port)
    await aborted(signal)
  } finally {
    await server?.stop()
    await Promise.all(following)
  }
}
