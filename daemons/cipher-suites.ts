import { constants } from 'node:crypto'
import { nearestName } from '../runtime/kernel/values/spelling.ts'

/** How OpenSSL calls what stands behind the exchange of keys in the name of a suite. */
const ciphers: Readonly<Record<string, string>> = {
  AES_128_GCM_SHA256: 'AES128-GCM-SHA256',
  AES_256_GCM_SHA384: 'AES256-GCM-SHA384',
  AES_128_CBC_SHA: 'AES128-SHA',
  AES_256_CBC_SHA: 'AES256-SHA',
  AES_128_CBC_SHA256: 'AES128-SHA256',
}

/** The same of those that are there for ephemeral keys only. */
const ephemeralCiphers: Readonly<Record<string, string>> = {
  ...ciphers,
  CHACHA20_POLY1305: 'CHACHA20-POLY1305',
  CHACHA20_POLY1305_SHA256: 'CHACHA20-POLY1305',
}

/** The names that OpenSSL has for cipher suites of TLS 1.2 and before. */
const names: ReadonlyMap<string, string> = new Map([
  ...suitesOf('TLS_ECDHE_ECDSA', 'ECDHE-ECDSA-', ephemeralCiphers),
  ...suitesOf('TLS_ECDHE_RSA', 'ECDHE-RSA-', ephemeralCiphers),
  ...suitesOf('TLS_RSA', '', ciphers),
])

function suitesOf(
  exchange: string,
  prefix: string,
  of: Readonly<Record<string, string>>,
): readonly (readonly [string, string])[] {
  return Object.entries(of).map(([name, known]) => [`${exchange}_WITH_${name}`, prefix + known])
}

/** The suites of TLS 1.3, which are on whatever is named for older versions. */
const newest = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256']

/** What OpenSSL is told, undefined for its default; and the names that it does not know. */
export interface CipherSuites {
  readonly suites?: string
  readonly problems: readonly string[]
}

/** Suites by their public names; `old` for versions before 1.2, which need what is not safe any more. */
export function cipherSuites(wanted: readonly string[], old: boolean): CipherSuites {
  const level = old ? ':@SECLEVEL=0' : ''
  if (wanted.length === 0) {
    return { problems: [], ...(old && { suites: `${constants.defaultCipherList}${level}` }) }
  }
  const known = [...names.keys(), ...newest]
  const problems = wanted
    .filter((name) => !known.includes(name))
    .map((name) => {
      const near = nearestName(name, known)
      return `--tls-cipher-suites: unknown suite ${name}${near === undefined ? '' : `, did you mean ${near}?`}`
    })
  const older = wanted.flatMap((name) => names.get(name) ?? [])
  return { suites: [...older, ...newest].join(':') + level, problems }
}
