/** How the port of a daemon beside the API server listens, and who may ask it. */
import { isIP } from 'node:net'
import type { GenericControllerManagerConfiguration } from '../../generated/config/controllermanager/v1alpha1.ts'
import type { ConnectionConfig } from '../../runtime/client/client.ts'
import type { Options } from '../../runtime/config/config.ts'
import { systemClock } from '../../runtime/kernel/async/clock.ts'
import type { Platform } from '../../runtime/kernel/descriptors/platform.ts'
import { type SecureServing, servingProblems } from '../../runtime/serving/serving.ts'
import { makeServingPair, servingPairIn } from '../serving-pair.ts'
import { tlsProblems, tlsSettings } from '../tls-flags.ts'
import { connectionOf } from './connection-flags.ts'

/** What the flags of the port say, with the files that they name. */
export interface PortSettings {
  readonly host: string
  readonly port: number
  /** Without a certificate where none was named. */
  readonly tls: Omit<SecureServing, 'certificate' | 'host' | 'port'>
  readonly pair: { readonly certFile: string; readonly keyFile: string } | undefined
  /** Where a certificate is kept that is made; empty for nowhere. */
  readonly certificateFolder: string
  readonly profiling: boolean
  readonly access: AccessSettings
  /** The program without the prefix of the platform, by which a certificate that is made is called. */
  readonly daemon: string
}

/** Who callers are, and what they may. */
export interface AccessSettings {
  /** Where tokens are reviewed; without it each is anonymous. */
  readonly authentication: ConnectionConfig | undefined
  readonly tokenCacheMs: number
  /** Whether the server is asked whom the cluster trusts, and whether that may fail. */
  readonly looksUp: boolean
  readonly toleratesFailure: boolean
  readonly hasClientAuthorities: boolean
  readonly hasProxyAuthorities: boolean
  readonly authorization: ConnectionConfig | undefined
  readonly allowedMs: number
  readonly refusedMs: number
  readonly alwaysAllowed: readonly string[]
}

/** The settings; undefined for port 0, which serves nothing. Nothing is made or changed to find out. */
export async function portSettings(
  options: Options,
  {
    Port,
    Address,
    Debugging,
  }: Pick<GenericControllerManagerConfiguration, 'Address' | 'Debugging' | 'Port'>,
  { prefix }: Pick<Platform, 'prefix'>,
  daemon = 'controller-manager',
): Promise<{ readonly settings?: PortSettings; readonly problems: readonly string[] }> {
  if (Port === 0) return { problems: [] }
  const [certFile, keyFile] = [
    options.string('tls-cert-file'),
    options.string('tls-private-key-file'),
  ]
  const pair = certFile === '' ? undefined : { certFile, keyFile }
  const tls = { ...tlsSettings(options), ...authoritiesOf(options) }
  const host = Address === '' ? '::' : Address
  const [authentication, authorization] = await Promise.all(
    ['authentication', 'authorization'].map((one) => delegateOf(`${one}-${prefix}config`, options)),
  )
  const wrong = tlsProblems(options)
  const certificate = pair ?? { cert: '', key: '' }
  const files = { ...tls, host, port: Port, certificate }
  return {
    settings: {
      ...{ host, port: Port, tls, pair, daemon },
      certificateFolder: options.string('cert-dir'),
      profiling: Debugging.enableProfiling ?? false,
      access: {
        authentication: authentication?.value,
        tokenCacheMs: options.milliseconds('authentication-token-webhook-cache-ttl'),
        looksUp: !options.boolean('authentication-skip-lookup'),
        toleratesFailure: options.boolean('authentication-tolerate-lookup-failure'),
        hasClientAuthorities: tls.clientAuthorities !== undefined,
        hasProxyAuthorities: tls.requestHeader !== undefined,
        authorization: authorization?.value,
        allowedMs: options.milliseconds('authorization-webhook-cache-authorized-ttl'),
        refusedMs: options.milliseconds('authorization-webhook-cache-unauthorized-ttl'),
        alwaysAllowed: options.strings('authorization-always-allow-paths'),
      },
    },
    problems: [
      ...(isIP(host) ? [] : [`--bind-address ${host}: expected an address such as 127.0.0.1`]),
      ...wrong,
      ...(wrong.length > 0 ? [] : await servingProblems(files, pair !== undefined)),
      ...(authentication?.problems ?? []),
      ...(authorization?.problems ?? []),
    ],
  }
}

function authoritiesOf(
  options: Options,
): Pick<SecureServing, 'clientAuthorities' | 'requestHeader'> {
  const [clients, proxies] = [
    options.string('client-ca-file'),
    options.string('requestheader-client-ca-file'),
  ]
  return {
    ...(clients !== '' && { clientAuthorities: { file: clients } }),
    ...(proxies !== '' && {
      requestHeader: {
        authorities: { file: proxies },
        allowedNames: options.strings('requestheader-allowed-names'),
        usernameHeaders: options.strings('requestheader-username-headers'),
        groupHeaders: options.strings('requestheader-group-headers'),
        extraHeaderPrefixes: options.strings('requestheader-extra-headers-prefix'),
      },
    }),
  }
}

/** The connection that the file of a flag names; neither a connection nor a problem where it names none. */
async function delegateOf(
  flag: string,
  options: Options,
): Promise<{ readonly value?: ConnectionConfig; readonly problems: readonly string[] }> {
  const file = options.string(flag)
  if (file === '') return { problems: [] }
  const { value, problems } = await connectionOf(file, '')
  return { value, problems: problems.map((one) => `--${flag}: ${one}`) }
}

/** The certificate of the port: the one that was named, or one that is made, and kept if there is a folder for it. */
export async function certificateOf(
  { pair, certificateFolder, host, daemon }: PortSettings,
  { brand, prefix }: Platform,
): Promise<SecureServing['certificate']> {
  if (pair !== undefined) return pair
  const program = `${prefix}-${daemon}`
  const names = { brand, commonName: program, hosts: [host] }
  const now = systemClock.now()
  if (certificateFolder === '') return makeServingPair(names, now)
  return servingPairIn(certificateFolder, program, names, now)
}
