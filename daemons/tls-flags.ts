/** What the flags of TLS say that all daemons have. */
import type { Options } from '../runtime/config/config.ts'
import type { SecureServing } from '../runtime/serving/serving.ts'
import { cipherSuites } from './cipher-suites.ts'

/** Certificates for other names, and what is spoken. */
export function tlsSettings(
  options: Options,
): Pick<SecureServing, 'named' | 'minVersion' | 'cipherSuites'> {
  const { suites } = cipherSuites(options.strings('tls-cipher-suites'), isOld(options))
  return {
    named: options.strings('tls-sni-cert-key').map(namedPair),
    minVersion: minVersionOf(options.string('tls-min-version')),
    ...(suites !== undefined && { cipherSuites: suites }),
  }
}

/** What is wrong with the flags themselves. */
export function tlsProblems(options: Options): readonly string[] {
  return [
    ...pairProblems(options),
    ...options.strings('tls-sni-cert-key').flatMap(namedPairProblems),
    ...cipherSuites(options.strings('tls-cipher-suites'), isOld(options)).problems,
  ]
}

/** `VersionTLS12` is Node's `TLSv1.2`, which is also what no name means. */
export function minVersionOf(name = ''): NonNullable<SecureServing['minVersion']> {
  const [, minor] = /^VersionTLS1(\d)$/.exec(name) ?? []
  return minor === '0' ? 'TLSv1' : (`TLSv1.${minor ?? 2}` as 'TLSv1.2')
}

function isOld(options: Options): boolean {
  return minVersionOf(options.string('tls-min-version')) < 'TLSv1.2'
}

/** `CERT,KEY`, and names behind a colon. */
function namedPair(text: string): { certFile: string; keyFile: string; names: readonly string[] } {
  const [files = '', names = ''] = text.split(/:(.*)/s)
  const [certFile = '', keyFile = ''] = files.split(',')
  return { certFile, keyFile, names: names.split(',').filter((name) => name !== '') }
}

function pairProblems(options: Options): readonly string[] {
  const [cert, key] = [options.string('tls-cert-file'), options.string('tls-private-key-file')]
  if ((cert === '') === (key === '')) return []
  return ['--tls-cert-file and --tls-private-key-file belong together: give both, or neither']
}

function namedPairProblems(text: string): readonly string[] {
  const { certFile, keyFile } = namedPair(text)
  if (certFile !== '' && keyFile !== '' && text.split(/:(.*)/s)[0]?.split(',').length === 2)
    return []
  return [`--tls-sni-cert-key ${text}: expected CERT,KEY or CERT,KEY:NAME,...`]
}
