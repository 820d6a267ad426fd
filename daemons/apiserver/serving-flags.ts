import { join } from 'node:path'
import {
  type ApiServerOptions,
  type SecureServing,
  servingProblems,
} from '../../runtime/apiserver/apiserver.ts'
import type { Options } from '../../runtime/config/config.ts'
import { ensureServingPair } from '../serving-pair.ts'
import { tlsProblems, tlsSettings } from '../tls-flags.ts'
import { bindProblem, isLoopback } from './bind-address.ts'

/** Where the daemon listens, and how. */
export type ServingSettings = Pick<ApiServerOptions, 'listen' | 'secure'>

/** The flags each of which asks for TLS; without any, the server speaks plain HTTP on this machine only. */
const asking = [
  'secure-port',
  'tls-cert-file',
  'tls-private-key-file',
  'tls-sni-cert-key',
  'cert-dir',
  'client-ca-file',
  'requestheader-client-ca-file',
]

function isGiven(options: Options, flag: string): boolean {
  return options.origin(flag) !== 'default'
}

/** True if the flags ask for TLS. */
function wantsTls(options: Options): boolean {
  return asking.some((flag) => isGiven(options, flag))
}

/** Where to listen, as the flags say. */
export function servingSettings(options: Options): ServingSettings {
  const address = options.string('bind-address')
  const port = options.number('insecure-port')
  if (!wantsTls(options)) return { listen: { host: address, port } }
  const secure = secureServing(options)
  if (!isGiven(options, 'insecure-port')) return { secure }
  return { secure, listen: { host: isLoopback(address) ? address : '127.0.0.1', port } }
}

function secureServing(options: Options): SecureServing {
  const address = options.string('bind-address')
  const clientFile = options.string('client-ca-file')
  const proxyFile = options.string('requestheader-client-ca-file')
  return {
    host: address === '' ? '::' : address,
    port: options.number('secure-port'),
    certificate: pairFiles(options),
    ...tlsSettings(options),
    ...(clientFile !== '' && { clientAuthorities: { file: clientFile } }),
    ...(proxyFile !== '' && {
      requestHeader: {
        authorities: { file: proxyFile },
        allowedNames: options.strings('requestheader-allowed-names'),
        usernameHeaders: options.strings('requestheader-username-headers'),
        groupHeaders: options.strings('requestheader-group-headers'),
        extraHeaderPrefixes: options.strings('requestheader-extra-headers-prefix'),
      },
    }),
  }
}

/** The files that were named, or those of the folder. */
function pairFiles(options: Options): { certFile: string; keyFile: string } {
  const [certFile, keyFile] = [
    options.string('tls-cert-file'),
    options.string('tls-private-key-file'),
  ]
  if (certFile !== '' || keyFile !== '') return { certFile, keyFile }
  const folder = options.string('cert-dir')
  return { certFile: join(folder, 'apiserver.crt'), keyFile: join(folder, 'apiserver.key') }
}

/** Everything that keeps the server from serving as the flags say. Nothing is made or changed to find out. */
export async function servingFlagProblems(options: Options): Promise<readonly string[]> {
  if (!wantsTls(options)) {
    const problem = bindProblem(options.string('bind-address'), options.number('insecure-port'))
    return problem === undefined ? [] : [problem]
  }
  const problems = [...tlsProblems(options), ...proxyProblems(options)]
  if (problems.length > 0) return problems
  const { secure } = servingSettings(options)
  return secure === undefined ? [] : servingProblems(secure, !isPairMade(options))
}

function proxyProblems(options: Options): readonly string[] {
  const [ca, names] = ['requestheader-client-ca-file', 'requestheader-username-headers']
  const [file, headers] = [options.string(ca), options.strings(names)]
  if (file !== '' && headers.length === 0) {
    return [
      `--${ca} needs --${names}: name the header in which the proxy names users, such as X-Remote-User`,
    ]
  }
  if (file === '' && headers.length > 0) {
    return [
      `--${names} needs --${ca}: anybody could send such headers, so say who vouches for the proxy`,
    ]
  }
  return []
}

/** True if no certificate was named: the server makes its own. */
function isPairMade(options: Options): boolean {
  return options.string('tls-cert-file') === '' && options.string('tls-private-key-file') === ''
}

/** Makes the certificate of a server that was given none, unless an earlier start did; what keeps it from that. */
export async function prepareServing(
  options: Options,
  brand: string,
  now: number,
): Promise<readonly string[]> {
  if (!wantsTls(options) || !isPairMade(options)) return []
  const flags = ['external-hostname', 'advertise-address', 'bind-address']
  const hosts = flags.map((flag) => options.string(flag))
  const service = ['', '.default', '.default.svc', '.default.svc.cluster.local']
  const names = {
    ...{ brand, commonName: `${brand}-apiserver` },
    hosts: [...hosts, ...service.map((rest) => brand + rest)],
  }
  return ensureServingPair(pairFiles(options), names, now).then(
    () => [],
    ({ message }: Error) => [message],
  )
}

/**
 * Settings with which a server may listen with TLS: where every user may do everything, requests without credentials are not
 * anonymous, but refused (N-06).
 */
export function withSafeDefaults(
  settings: ApiServerOptions,
  warn: (line: string) => void,
): ApiServerOptions {
  const { secure, authorization, authentication = {} } = settings
  const modes = authorization?.modes ?? ['AlwaysAllow']
  if (secure === undefined || !modes.includes('AlwaysAllow')) return settings
  if (authentication.anonymous === true) {
    warn(
      'anonymous requests are refused: every user may do everything (AlwaysAllow), name --authorization-mode',
    )
  }
  return { ...settings, authentication: { ...authentication, anonymous: false } }
}
