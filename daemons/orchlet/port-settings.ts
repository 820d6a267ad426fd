/** How the ports of the agent listen, and who may ask it. */
import type { OrchletConfiguration } from '../../generated/config/agent/v1beta1.ts'
import type { Configuration } from '../../runtime/config/config.ts'
import { parseDuration } from '../../runtime/kernel/values/duration.ts'
import { type SecureServing, servingProblems } from '../../runtime/serving/serving.ts'
import { cipherSuites } from '../cipher-suites.ts'
import { minVersionOf } from '../tls-flags.ts'

/** What flags and file say of the ports. */
export interface AgentPortSettings {
  readonly host: string
  readonly port: number
  /** 0 for none. */
  readonly readOnlyPort: number
  readonly tls: Omit<SecureServing, 'certificate' | 'host' | 'port'>
  readonly pair: { readonly certFile: string; readonly keyFile: string } | undefined
  /** Where a certificate is kept that is made. */
  readonly certificateFolder: string
  readonly anonymous: boolean
  readonly reviewsTokens: boolean
  readonly tokenCacheMs: number
  readonly authorizes: boolean
  readonly allowedMs: number
  readonly refusedMs: number
  readonly handlers: boolean
  readonly profiling: boolean
  readonly flags: boolean
  readonly checkpoints: boolean
  readonly systemLogs: boolean
}

const ms = (text: string): number => parseDuration(text) ?? 0

/**
 * The settings; undefined where nothing is to be served. What no flag and no file says is safe: with a server, callers are asked for by reviews, and without
 * one, only this machine is answered.
 */
export async function agentPortSettings(
  configuration: OrchletConfiguration,
  { options, root }: Configuration,
  hasServer: boolean,
): Promise<{ readonly settings?: AgentPortSettings; readonly problems: readonly string[] }> {
  if (!configuration.enableServer) return { problems: [] }
  const { authentication, authorization, tlsCertFile = '', tlsPrivateKeyFile = '' } = configuration
  const isSaid = (...path: readonly string[]): boolean => said(root, path)
  const minVersion = minVersionOf(configuration.tlsMinVersion)
  const { suites, problems } = cipherSuites(
    [...(configuration.tlsCipherSuites ?? [])],
    minVersion < 'TLSv1.2',
  )
  const clientCA = authentication.x509.clientCAFile ?? ''
  const tls = {
    minVersion,
    ...(suites !== undefined && { cipherSuites: suites }),
    ...(clientCA !== '' && { clientAuthorities: { file: clientCA } }),
  }
  const pair =
    tlsCertFile === '' ? undefined : { certFile: tlsCertFile, keyFile: tlsPrivateKeyFile }
  const host = isSaid('address') || hasServer ? configuration.address : '127.0.0.1'
  const { port } = configuration
  const files = { ...tls, host, port, certificate: pair ?? { cert: '', key: '' } }
  return {
    settings: {
      ...{ host, port, tls, pair, certificateFolder: options.string('cert-dir') },
      readOnlyPort: isSaid('readOnlyPort') ? configuration.readOnlyPort : 0,
      anonymous: isSaid('authentication', 'anonymous', 'enabled')
        ? authentication.anonymous.enabled
        : !hasServer,
      reviewsTokens: isSaid('authentication', 'webhook', 'enabled')
        ? authentication.webhook.enabled
        : hasServer,
      tokenCacheMs: ms(authentication.webhook.cacheTTL),
      authorizes: isSaid('authorization', 'mode') ? authorization.mode === 'Webhook' : hasServer,
      allowedMs: ms(authorization.webhook.cacheAuthorizedTTL),
      refusedMs: ms(authorization.webhook.cacheUnauthorizedTTL),
      handlers: configuration.enableDebuggingHandlers,
      profiling: configuration.enableProfilingHandler,
      flags: configuration.enableDebugFlagsHandler,
      checkpoints: configuration.featureGates?.ContainerCheckpoint === true,
      systemLogs: configuration.enableSystemLogHandler,
    },
    problems: [...problems, ...(await servingProblems(files, pair !== undefined))],
  }
}

/** True for a field that a flag, a variable or a file sets. */
function said(node: Configuration['root'], path: readonly string[]): boolean {
  const [first, ...rest] = path
  if (node.is !== 'map') return node.at.origin !== 'default'
  const value = node.entries.find(({ key }) => key === first)?.value
  if (value === undefined) return false
  return rest.length === 0 ? value.at.origin !== 'default' : said(value, rest)
}
