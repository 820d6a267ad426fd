/** Other servers beside this one, put together: loaded when an object first names one. */
import {
  type ProxyCertificate,
  type RemoteServerMap,
  RemoteServers,
} from '../../aggregator/aggregator.ts'
import type { Client } from '../../client/client.ts'
import { loadRemoteControllers } from '../../controllers/controllers.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import { groupNames } from '../../kernel/descriptors/platform.ts'
import type { Metrics } from '../../observe/observe.ts'
import type { KeyController } from '../../reconcile/reconcile.ts'
import type { Registry } from '../../registry/registry.ts'
import type { ApiServerOptions } from '../options.ts'
import { serviceRoutes } from './service-routes.ts'

/** What other servers are kept with. */
export interface AggregationHost {
  /** The kind of the objects that name them. */
  readonly kind: AnyKind
  readonly client: Client
  readonly registry: Registry
  readonly metrics: Metrics | undefined
  readonly certificate: () => ProxyCertificate | undefined
  /** Has them answer. */
  readonly serve: (servers: RemoteServerMap | undefined) => void
  readonly signal: AbortSignal
}

/** Other servers that are kept. */
export interface Aggregation {
  readonly controllers: readonly KeyController[]
  /** Has the servers answer that stored objects name. */
  sync(): Promise<void>
}

/** Undefined where the scheme has no services. */
export async function openAggregation(
  { scheme, clock, log, aggregation = {} }: ApiServerOptions,
  { kind, client, registry, metrics, certificate, serve, signal }: AggregationHost,
): Promise<Aggregation | undefined> {
  const { remoteKinds, remoteServerController, availabilityController } =
    await loadRemoteControllers()
  const kinds = remoteKinds(scheme, kind)
  if (kinds === undefined) return undefined
  const { routing = 'cluster', passesRedirects = false } = aggregation
  const { platform } = scheme
  const servers = new RemoteServers({
    resolve: serviceRoutes(registry, routing),
    ...{ clock, log, certificate, signal, serve, passesRedirects },
    prefix: platform.prefix,
    discoveryGroups: groupNames('apidiscovery', platform),
  })
  signal.addEventListener('abort', () => servers.close())
  const options = { kinds, servers, availability: availabilityMetrics(metrics) }
  return {
    controllers: [remoteServerController(options), availabilityController(options)],
    async sync() {
      const { items } = await client.resource(kind).listAll()
      for (const object of items) servers.set(object as never)
    },
  }
}

/** Counts servers under the public names of the metrics. */
function availabilityMetrics(metrics: Metrics | undefined) {
  const known = new Map<string, boolean>()
  const gauge = metrics?.gauge('aggregator_unavailable_apiservice')
  const total = metrics?.counter('aggregator_unavailable_apiservice_total')
  metrics?.onCollect(() => {
    gauge?.clear()
    for (const [name, isAvailable] of known) gauge?.set([name], isAvailable ? 0 : 1)
  })
  return {
    told(name: string, isAvailable: boolean | undefined): void {
      if (isAvailable === undefined) known.delete(name)
      else known.set(name, isAvailable)
    },
    lost: (name: string, reason: string) => total?.add([name, reason]),
  }
}
