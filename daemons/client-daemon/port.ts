/** The port of a daemon that is a client of the server: health, metrics, configuration and profiles, for those who may see them. */
import {
  anonymousAuthenticator,
  privilegedGroupAuthorizer,
  unionAuthenticator,
  unionAuthorizer,
  withAuthenticatedGroup,
} from '../../runtime/auth/auth.ts'
import {
  type Client,
  type ConnectionConfig,
  createClient,
  httpTransport,
} from '../../runtime/client/client.ts'
import {
  type DaemonServer,
  flagPages,
  profilePages,
  type ServeDaemonOptions,
  serveDaemon,
} from '../../runtime/daemon/daemon.ts'
import {
  accessReviewAuthorizer,
  allowedPathsAuthorizer,
  type ClusterTrust,
  followClusterTrust,
  tokenReviewAuthenticator,
} from '../../runtime/delegation/delegation.ts'
import { type EnabledGates, slisGate } from '../../runtime/kernel/descriptors/enabled-gates.ts'
import type { Platform } from '../../runtime/kernel/descriptors/platform.ts'
import { errorText } from '../../runtime/kernel/errors/error-text.ts'
import type { AdjustableLog } from '../../runtime/observe/observe.ts'
import { type SecureServing, startServing } from '../../runtime/serving/serving.ts'
import { type AccessSettings, certificateOf, type PortSettings } from './port-settings.ts'

/** What the port serves, and with what. */
export interface PortOptions
  extends Pick<ServeDaemonOptions, 'checks' | 'configz' | 'clock' | 'metrics'> {
  readonly settings: PortSettings
  readonly gates: EnabledGates
  /** The names of the server. */
  readonly platform: Platform
  readonly own: Platform
  readonly log: AdjustableLog
  /** The program, as requests say it. */
  readonly program: string
  readonly signal: AbortSignal
}

/** Listens. @throws an Error that says why it cannot, or why it cannot find out who callers are; nothing is left open then. */
export async function openPort(options: PortOptions): Promise<DaemonServer> {
  const closed = new AbortController()
  const clients: Client[] = []
  const close = async (): Promise<void> => {
    closed.abort()
    await Promise.all(clients.map((one) => one.close()))
  }
  try {
    const signal = AbortSignal.any([options.signal, closed.signal])
    const server = await listen({ ...options, signal }, clients)
    return {
      ...server,
      async stop() {
        await server.stop()
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Listens, with clients that are added to those that are closed at the end. */
async function listen(options: PortOptions, clients: Client[]): Promise<DaemonServer> {
  const { settings, gates, own, platform, checks, configz, clock, metrics, log, signal } = options
  const { access, tls, host, port } = settings
  const connect = (connection: ConnectionConfig): Client => {
    const made = createClient(httpTransport(connection, clock), {
      ...{ clock, platform: own, manager: options.program.replace(/\/.*/s, '') },
      userAgent: options.program,
    })
    clients.push(made)
    return made
  }
  const reviewer = access.authentication && connect(access.authentication)
  const judge = access.authorization && connect(access.authorization)
  const following = { clock, log, signal }
  const trusted = reviewer && (await trustOf(reviewer, options))
  const secure = {
    ...{ ...tls, host, port, certificate: await certificateOf(settings, own) },
    ...trusted,
  }
  const { tls: shown, authenticators } = await startServing(secure, following)
  const tokens = reviewer && {
    ...{ client: reviewer, cacheMs: access.tokenCacheMs, clock },
  }
  const known = [...authenticators, ...(tokens ? [tokenReviewAuthenticator(tokens)] : [])]
  const authenticator = unionAuthenticator(
    [withAuthenticatedGroup(unionAuthenticator(known)), anonymousAuthenticator],
    { failOnError: true },
  )
  return serveDaemon({
    ...{ platform: own, checks, clock, log, metrics, slis: gates.has(slisGate) },
    ...(configz && { configz }),
    tls: shown,
    listen: { host, port },
    access: { authenticator, authorizer: authorizerOf(access, judge, clock) },
    pages: settings.profiling ? [profilePages(), flagPages(log)] : [],
  })

  function authorizerOf(
    { alwaysAllowed, allowedMs, refusedMs }: AccessSettings,
    client: Client | undefined,
    now: typeof clock,
  ) {
    return unionAuthorizer([
      allowedPathsAuthorizer(alwaysAllowed),
      privilegedGroupAuthorizer,
      ...(client ? [accessReviewAuthorizer({ client, allowedMs, refusedMs, clock: now })] : []),
    ])
  }

  /** Whom the cluster trusts, where no file says whom this daemon does. */
  async function trustOf(
    client: Client,
    { settings: { access: asked } }: PortOptions,
  ): Promise<Pick<SecureServing, 'clientAuthorities' | 'requestHeader'>> {
    if (!asked.looksUp || (asked.hasClientAuthorities && asked.hasProxyAuthorities)) return {}
    const told = new Set<(trust: ClusterTrust) => void>()
    try {
      const trust = await followClusterTrust({ client, platform, clock, log, signal }, (now) => {
        for (const use of told) use(now)
      })
      return authoritiesOf(trust, asked, (use) => told.add(use))
    } catch (error) {
      const why = `whom the cluster trusts cannot be looked up: ${errorText(error)}`
      if (!asked.toleratesFailure) {
        throw new Error(
          `${why}; --authentication-tolerate-lookup-failure goes on without, --authentication-skip-lookup does not ask`,
          { cause: error },
        )
      }
      log.warn(why)
      return {}
    }
  }
}

function authoritiesOf(
  trust: ClusterTrust,
  { hasClientAuthorities, hasProxyAuthorities }: AccessSettings,
  onChange: (use: (trust: ClusterTrust) => void) => void,
): Pick<SecureServing, 'clientAuthorities' | 'requestHeader'> {
  const { allowedNames, usernameHeaders, groupHeaders, extraHeaderPrefixes } = trust
  const follow = (member: 'clients' | 'proxies') => ({
    follow(use: (pem: string) => void) {
      use(trust[member] ?? '')
      onChange((now) => {
        const pem = now[member]
        if (pem !== undefined) use(pem)
      })
    },
  })
  const isClient = !hasClientAuthorities && trust.clients !== undefined
  const isProxy = !hasProxyAuthorities && trust.proxies !== undefined
  return {
    ...(isClient && { clientAuthorities: follow('clients') }),
    ...(isProxy && {
      requestHeader: {
        ...{ allowedNames, usernameHeaders, groupHeaders, extraHeaderPrefixes },
        authorities: follow('proxies'),
      },
    }),
  }
}
