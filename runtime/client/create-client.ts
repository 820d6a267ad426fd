import { type Clock, systemClock } from '../kernel/async/clock.ts'
import { createTokenBucket, type Rate } from '../kernel/async/token-bucket.ts'
import type { Kind } from '../kernel/descriptors/kind.ts'
import type { PublicNames } from '../kernel/descriptors/platform.ts'
import type { ApiObject } from '../kernel/meta/object.ts'
import type { Metrics, TracePropagation } from '../observe/observe.ts'
import { createClientMetrics } from './client-metrics.ts'
import type { Discovered } from './discovery.ts'
import type { DynamicObject } from './dynamic-kind.ts'
import type { KindReference } from './find-kind.ts'
import type { Transport } from './http/transport.ts'
import { KnownKinds } from './known-kinds.ts'
import { type GroupSuffixes, withPlatformNames } from './platform-names.ts'
import type { Write } from './resource.ts'
import { ResourceClient } from './resource-client.ts'
import { createRestClient, type RestClient, withScope } from './rest-client.ts'
import type { ResourceOf, ScalableResource } from './scale.ts'

/** How a client behaves beside where it sends. */
export interface ClientOptions {
  /** Where names without a namespace are looked up. Default `default`. */
  readonly namespace?: string
  /** The name of the program: the field manager of what it applies, and its user agent. Default `client`. */
  readonly manager?: string
  /** What requests say of the program that sends them. Default: `manager`. */
  readonly userAgent?: string
  /** How often a request is repeated that the server refuses for now. Default 5. */
  readonly retries?: number
  /** How many requests may begin; further ones wait. Default: the server decides how many it takes. */
  readonly rate?: Rate
  /**
   * The platform whose groups the server may call by either name, the platform's own or the public one. Default: groups are
   * called as their kinds say; `connect` passes the platform of this package.
   */
  readonly platform?: GroupSuffixes
  /**
   * Names inside of objects that the server may have the public ones of: keys of labels, finalizers, groups in references. Default: they
   * are left as they are; `connect` passes those of this package. The server is asked once which names it has.
   */
  readonly publicNames?: PublicNames
  readonly clock?: Clock
  /** Where requests are counted. Default: nowhere. */
  readonly metrics?: Metrics
  /** Tells the server in which trace a request is sent: `{ context, propagation }` of `@opentelemetry/api`. Default: it is not told. */
  readonly propagation?: TracePropagation
}

/** What every verb of a scoped client has in common. */
export interface Scope {
  /** Hears of every write that the server acknowledged, before the caller does. */
  readonly onWrite?: (write: Write) => void
  /**
   * Called right before a request that may change something is sent, repeated ones too. What it throws is the error of the
   * request, which is not sent.
   */
  readonly beforeWrite?: () => void
  /** Ends every request and every watch, beside the signal that a verb is given. */
  readonly signal?: AbortSignal
}

/**
 * One server, reached as one user.
 *
 * @example
 * const client = await connect('orchconfig')
 * await client.resource(configMaps).create({ metadata: { name: 'settings' }, data: { colour: 'red' } })
 * await client.close()
 */
export interface Client {
  /** The name of the program: the field manager of what it applies where no other is named. */
  readonly manager: string
  /** Where names without a namespace are looked up. */
  readonly namespace: string
  /** The typed verbs of a kind, over all of its namespaces; with `scale` for a kind that declares this subresource. */
  readonly resource: ResourceOf
  /**
   * The verbs of a kind that is known only at run time; its descriptor is `kind` of the result, for informers and controllers.
   * The server is asked what it serves when this is first called, and again for a kind that it did not have then.
   *
   * @throws StatusError `NotFound` if the server serves no such kind: the message says what comes near.
   * @example
   * const widgets = await client.dynamic('widgets.example.com')
   * await widgets.in('shop').mergePatch('cogs', { spec: { size: 3 } })
   */
  dynamic<T extends ApiObject = DynamicObject>(
    reference: KindReference,
    signal?: AbortSignal,
  ): Promise<ScalableResource<T>>
  /** Every kind that the server serves now, in each of its versions: preferred ones first. */
  kinds(signal?: AbortSignal): Promise<readonly Kind<DynamicObject>[]>
  /** The same, with the group versions of which the server cannot tell what they have: those of a server behind it that is away. */
  discover(signal?: AbortSignal): Promise<Discovered>
  /** The same client, whose verbs have a further scope: a signal that ends them, a listener that hears of writes. */
  scoped(scope: Scope): Client
  /** Releases kept connections. */
  close(): Promise<void>
}

/**
 * A client that sends through `transport`. Nothing is sent until a verb is called.
 *
 * @example
 * const client = createClient(httpTransport({ server: 'http://127.0.0.1:8080' }), { manager: 'my-operator' })
 * const pod = await client.resource(pods).get({ namespace: 'shop', name: 'web' })
 */
export function createClient(transport: Transport, options: ClientOptions = {}): Client {
  const { namespace = 'default', manager = 'client', retries = 5, clock = systemClock } = options
  const metrics = options.metrics && createClientMetrics(options.metrics, transport.host ?? '')
  if (metrics !== undefined) transport.onLookup?.((ms) => metrics.resolved(ms))
  const { api, publicApi = api } = options.platform ?? { api: 'k8s.io' }
  const metaGroups = [...new Set([publicApi, api])].map((suffix) => `meta.${suffix}`)
  const restClient = createRestClient({
    ...{ transport, retries, clock, userAgent: options.userAgent ?? manager },
    ...(options.rate && { waitMs: createTokenBucket(options.rate, clock) }),
    ...(metrics && { metrics }),
    ...(options.propagation && { propagation: options.propagation }),
  })
  const { platform, publicNames } = options
  const known = new KnownKinds(platform)
  return scopedClient(
    platform ? withPlatformNames(restClient, platform, publicNames) : restClient,
    [],
  )

  function scopedClient(scopedRest: RestClient, scopes: readonly Scope[]): Client {
    const onWrite = (write: Write): void => {
      for (const scope of scopes) scope.onWrite?.(write)
    }
    const resource = <T extends ApiObject>(kind: Kind<T>): ScalableResource<T> =>
      new ResourceClient({
        ...{ kind, manager, onWrite, metaGroups },
        restClient: scopedRest,
        defaultNamespace: namespace,
      })
    return {
      ...{ manager, namespace },
      resource,
      dynamic: async <T extends ApiObject>(reference: KindReference, signal?: AbortSignal) => {
        const kind = await known.find(scopedRest, reference, signal)
        return resource(kind) as unknown as ScalableResource<T>
      },
      kinds: async (signal) => (await known.all(scopedRest, signal)).kinds,
      discover: (signal) => known.all(scopedRest, signal),
      scoped: (scope) => scopedClient(withScope(scopedRest, scope), [...scopes, scope]),
      close: () => transport.close(),
    }
  }
}
