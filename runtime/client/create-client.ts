import { type Clock, systemClock } from '../kernel/async/clock.ts'
import type { Kind } from '../kernel/descriptors/kind.ts'
import type { ApiObject } from '../kernel/meta/object.ts'
import type { Metrics } from '../observe/observe.ts'
import { createClientMetrics } from './client-metrics.ts'
import type { Resource, Write } from './resource.ts'
import { createResource } from './resource-client.ts'
import { createRestClient, type RestClient, withSignal } from './rest-client.ts'
import type { Transport } from './transport.ts'

export interface ClientOptions {
  /** Where names without a namespace are looked up. Default `default`. */
  readonly namespace?: string
  /** Who writes, as field managers are called and servers log it. Default `client`. */
  readonly manager?: string
  /** How often a request is repeated when the server puts it off. Default 5. */
  readonly retries?: number
  readonly clock?: Clock
  /** Where requests are counted, those of a program with controllers. Default: nowhere. */
  readonly metrics?: Metrics
}

/** What every verb of a scoped client has in common. */
export interface Scope {
  /** Hears of every write that the server acknowledged, before the caller does. */
  readonly onWrite?: (write: Write) => void
  /** Ends every request and every watch, beside the signal that a verb is given. */
  readonly signal?: AbortSignal
}

/** One connection to one server, as one user. */
export interface Client {
  readonly namespace: string
  resource<T extends ApiObject>(kind: Kind<T>): Resource<T>
  /** The same client under a further scope. */
  scoped(scope: Scope): Client
  /** Releases kept connections. */
  close(): Promise<void>
}

/** A client that sends through `transport`. Nothing is sent until a verb is called. */
export function createClient(transport: Transport, options: ClientOptions = {}): Client {
  const { namespace = 'default', manager = 'client', retries = 5, clock = systemClock } = options
  const meters = options.metrics && createClientMetrics(options.metrics, transport.host ?? '')
  const caller = createRestClient({
    transport,
    manager,
    retries,
    clock,
    ...(meters && { metrics: meters }),
  })
  return clientOf(caller, [])

  function clientOf(caller: RestClient, scopes: readonly Scope[]): Client {
    const wrote = (write: Write): void => {
      for (const scope of scopes) scope.onWrite?.(write)
    }
    return {
      namespace,
      resource: (kind) =>
        createResource({
          kind,
          restClient: caller,
          defaultNamespace: namespace,
          manager,
          onWrite: wrote,
        }),
      scoped: (scope) => clientOf(withSignal(caller, scope.signal), [...scopes, scope]),
      close: () => transport.close(),
    }
  }
}
