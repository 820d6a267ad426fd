/** How the controller manager reaches the server: as itself, or as the service account of each controller. */
import { serviceAccounts } from '../../generated/apis/core/v1/service-account.ts'
import {
  type Client,
  type ConnectionConfig,
  type CredentialSource,
  createClient,
  httpTransport,
} from '../../runtime/client/client.ts'
import { accountNamespace } from '../../runtime/controller-manager/controller-manager.ts'
import type { Clock } from '../../runtime/kernel/async/clock.ts'
import type { Platform } from '../../runtime/kernel/descriptors/platform.ts'
import { isStatus } from '../../runtime/kernel/errors/status-error.ts'
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

/** The clients of a controller manager. */
export interface ManagerClients {
  readonly client: Client
  /** A client of the same user that waits for no request of others. */
  own(purpose: string): Client
  /** A client that acts as a service account, on a server of these names. */
  accountClient(account: string, server: Platform): Client
  close(): Promise<void>
}

/** Clients that are made when they are asked for, and closed together. */
export function managerClients(settings: ClientSettings): ManagerClients {
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
    accountClient(account, server) {
      const credentials = accountCredentials(client, account, server, clock, connection.ca)
      return make({ ...placeOf(connection), credentials }, account)
    },
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

/** Seconds that a token is good for, and the part of them after which another one is requested. */
const tokenSeconds = 3600
const usedPart = 0.8

interface TokenAnswer {
  readonly status: { readonly token: string; readonly expirationTimestamp: string }
}

/** Tokens of a service account, which is made if it is not there; a new one before the last has expired. */
export function accountCredentials(
  client: Client,
  account: string,
  platform: Pick<Platform, 'api' | 'prefix'>,
  clock: Clock,
  ca: string | undefined,
): CredentialSource {
  let known: { readonly token: string; readonly ca?: string } | undefined
  let until = 0
  let requested: Promise<NonNullable<typeof known>> | undefined
  const accounts = client.resource(serviceAccounts).in(accountNamespace(platform))
  const request = async () => {
    const begun = clock.now()
    const send = () =>
      accounts.createSubresource<TokenAnswer>(account, 'token', {
        apiVersion: `authentication.${platform.api}/v1`,
        kind: 'TokenRequest',
        metadata: {},
        spec: { expirationSeconds: tokenSeconds },
      })
    const { status } = await send().catch(async (error: unknown) => {
      if (!isStatus(error, 'NotFound')) throw error
      await accounts.create({ metadata: { name: account } }).catch(unlessThere)
      return send()
    })
    until = begun + (Date.parse(status.expirationTimestamp) - begun) * usedPart
    known = { token: status.token, ...(ca !== undefined && { ca }) }
    return known
  }
  return {
    current() {
      if (known !== undefined && clock.now() < until) return known
      requested ??= request().finally(() => {
        requested = undefined
      })
      return requested
    },
    refused(credentials) {
      if (credentials === known) known = undefined
      return true
    },
  }
}

function unlessThere(error: unknown): void {
  if (!isStatus(error, 'AlreadyExists')) throw error
}
