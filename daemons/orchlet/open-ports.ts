import { join } from 'node:path'
import {
  type AgentAccess,
  type AgentPort,
  type AgentPortOptions,
  serveAgentPort,
} from '../../runtime/agent-server/agent-server.ts'
import {
  alwaysAllow,
  anonymousAuthenticator,
  privilegedGroupAuthorizer,
  unionAuthenticator,
  unionAuthorizer,
  withAuthenticatedGroup,
} from '../../runtime/auth/auth.ts'
import type { Client } from '../../runtime/client/client.ts'
import {
  accessReviewAuthorizer,
  tokenReviewAuthenticator,
} from '../../runtime/delegation/delegation.ts'
import type { Platform } from '../../runtime/kernel/descriptors/platform.ts'
import { type SecureServing, startServing } from '../../runtime/serving/serving.ts'
import { servingPairIn } from '../serving-pair.ts'
import type { AgentPortSettings } from './port-settings.ts'

/** What the ports show, and whom they ask about callers. */
export interface OpenPortsOptions extends Pick<AgentPortOptions, 'view' | 'endpoints'> {
  readonly settings: AgentPortSettings
  readonly own: Platform
  /** Addresses and names of the node, for a certificate that is made. */
  readonly names: readonly string[]
  /** Reviews callers and what they may; undefined where the agent runs alone. */
  readonly client: Client | undefined
  readonly signal: AbortSignal
}

/** Where the machine keeps its logs. */
const systemLogs = '/var/log'

/** Binds the port with TLS, and the one that only reads where there is one. @throws an Error that says why it cannot. */
export async function openPorts(options: OpenPortsOptions): Promise<AgentPort> {
  const { settings, view, endpoints, signal } = options
  const { host, port, tls, handlers, profiling, flags } = settings
  const following = { clock: view.clock, log: view.log, signal }
  const secure = { ...tls, host, port, certificate: await certificateOf(options) }
  const { tls: shown, authenticators } = await startServing(secure, following)
  const main = await serveAgentPort({
    ...{ view, endpoints, handlers, profiling, flags, tls: shown, listen: { host, port } },
    access: accessOf(options, authenticators),
    ...(settings.systemLogs && { logFolder: systemLogs }),
    ...(settings.checkpoints && { checkpointFolder: join(view.rootFolder, 'checkpoints') }),
  })
  if (settings.readOnlyPort === 0) return main
  const reading = await serveAgentPort({
    ...{ view, endpoints, handlers: false, listen: { host, port: settings.readOnlyPort } },
  })
  return {
    port: main.port,
    stop: async () => void (await Promise.all([main.stop(), reading.stop()])),
  }
}

function accessOf(
  { settings, client, view: { clock } }: OpenPortsOptions,
  certificates: Parameters<typeof unionAuthenticator>[0],
): AgentAccess {
  const { anonymous, reviewsTokens, authorizes, tokenCacheMs, allowedMs, refusedMs } = settings
  const tokens =
    reviewsTokens && client
      ? [tokenReviewAuthenticator({ client, cacheMs: tokenCacheMs, clock })]
      : []
  const known = withAuthenticatedGroup(unionAuthenticator([...certificates, ...tokens]))
  return {
    authenticator: anonymous
      ? unionAuthenticator([known, anonymousAuthenticator], { failOnError: true })
      : known,
    authorizer: authorizes
      ? unionAuthorizer([
          privilegedGroupAuthorizer,
          ...(client ? [accessReviewAuthorizer({ client, allowedMs, refusedMs, clock })] : []),
        ])
      : alwaysAllow,
  }
}

/** The certificate that was named, or one that is made for the names of the node and kept. */
async function certificateOf({
  settings: { pair, certificateFolder },
  own,
  names,
  view: { clock, nodeName },
}: OpenPortsOptions): Promise<SecureServing['certificate']> {
  if (pair !== undefined) return pair
  const made = { brand: own.brand, commonName: `${nodeName}@agent`, hosts: names }
  return servingPairIn(certificateFolder, own.agent, made, clock.now())
}
