import {
  type Client,
  type ConnectionConfig,
  type CredentialSource,
  createClient,
  httpTransport,
} from '../../runtime/client/client.ts'
import type { Clock } from '../../runtime/kernel/async/clock.ts'
import type { Platform } from '../../runtime/kernel/descriptors/platform.ts'
import type { Metrics } from '../../runtime/observe/observe.ts'

/** What clients are made of. */
export interface ClientSettings {
  readonly connection: ConnectionConfig
  /** Requests a second for long, and at once, of each client; without a limit where it is 0. */
  readonly qps: number
  readonly burst: number
  /** The program and its version, as requests say it: `orch-controller-manager/v1.29.0 (linux/amd64) orch/0.1.0`. */
  readonly program: string
  readonly platform: Platform
  readonly clock: Clock
  readonly metrics: Metrics
}

/** The clients of a daemon. */
export interface DaemonClients {
  readonly client: Client
  /** A client of the same user that waits for no request of others. */
  own(purpose: string): Client
  /** A client of another user. */
  withCredentials(credentials: CredentialSource, purpose: string): Client
  close(): Promise<void>
}

/** Clients that are made when they are asked for, and closed together. */
export function daemonClients(settings: ClientSettings): DaemonClients {
  const { connection, qps, burst, program, platform, clock, metrics } = settings
  const all: Client[] = []
  const make = (config: ConnectionConfig, purpose: string): Client => {
    const made = createClient(httpTransport(config, clock), {
      ...{ platform, clock, metrics, userAgent: `${program}/${purpose}` },
      manager: program.replace(/\/.*/s, ''),
      ...(qps > 0 && { rate: { perSecond: qps, burst: Math.max(1, burst) } }),
    })
    all.push(made)
    return made
  }
  const client = make(connection, 'shared-informers')
  return {
    client,
    own: (purpose) => make(connection, purpose),
    withCredentials: (credentials, purpose) =>
      make({ ...placeOf(connection), credentials }, purpose),
    async close() {
      await Promise.all(all.map((one) => one.close()))
    },
  }
}

/** Where a server is, without who one is there. */
function placeOf(connection: ConnectionConfig): ConnectionConfig {
  const { token, cert, key, username, password, credentials, impersonate, origin, ...place } =
    connection
  return place
}
