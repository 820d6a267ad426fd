import type { X509Certificate } from 'node:crypto'
import type { SecureContext, SecureContextOptions } from 'node:tls'
import {
  type Authenticator,
  clientCertificateAuthenticator,
  requestHeaderAuthenticator,
} from '../auth/auth.ts'
import { systemClock } from '../kernel/async/clock.ts'
import { silentLog } from '../observe/observe.ts'
import type { ProxyAuthentication, SecureServing } from './secure-serving.ts'
import { type Following, followAuthorities, followPair, type ReadPair } from './serving-files.ts'
import type { TlsSource } from './tls-source.ts'

/** What a listener with TLS shows, and who is known by the certificates that clients show it. */
export interface Serving {
  readonly tls: TlsSource
  /** The front proxy first, then the users. */
  readonly authenticators: readonly Authenticator[]
  /** Who vouches for users and for proxies, now. */
  readonly trusted: TrustedAuthorities
}

/** Who vouches for clients. */
export interface TrustedAuthorities {
  readonly clients: readonly X509Certificate[]
  readonly proxies: readonly X509Certificate[]
  /** Calls `told` with each change. */
  onTrustChange(told: () => void): void
}

/** What a listener with TLS works with. */
export interface ServingSurroundings extends Following {
  /** Hears of each request by a client's certificate, and for how many milliseconds that one is still good. */
  readonly onCertificate?: ((remainingMs: number) => void) | undefined
}

/**
 * Reads everything that a listener with TLS needs, and follows the files of it: what they say counts for connections from then on,
 * and who vouches for clients for requests from then on.
 *
 * @throws an Error that names everything that is wrong, one a line.
 */
export async function startServing(
  secure: SecureServing,
  following: ServingSurroundings,
  withPair = true,
): Promise<Serving> {
  const files = new ServingState(secure, await import('node:tls'))
  const named = secure.named ?? []
  const { clientAuthorities, requestHeader } = secure
  await allOf([
    ...(withPair
      ? [followPair(secure.certificate, following, (pair) => files.useFallback(pair))]
      : []),
    ...named.map((one, index) =>
      followPair(one, following, (pair) => files.useNamed(index, pair, one.names)),
    ),
    ...(clientAuthorities === undefined
      ? []
      : [followAuthorities(clientAuthorities, following, (roots) => files.useClients(roots))]),
    ...(requestHeader === undefined
      ? []
      : [
          followAuthorities(requestHeader.authorities, following, (roots) =>
            files.useProxies(roots),
          ),
        ]),
  ])
  const authenticators = authenticatorsOf(secure, files, following)
  return { tls: files, authenticators, trusted: files }
}

/**
 * Everything that is wrong with what TLS needs; without `withPair`, the certificate of the server itself is not looked at. Nothing is
 * followed.
 */
export async function servingProblems(
  secure: SecureServing,
  withPair: boolean,
): Promise<readonly string[]> {
  const following = { clock: systemClock, log: silentLog, signal: AbortSignal.abort() }
  return startServing(secure, following, withPair).then(
    () => [],
    (error: Error) => error.message.split('\n'),
  )
}

/** Waits for all. @throws an Error with the messages of all that fail. */
async function allOf(steps: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(steps)
  const failed = results.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []))
  if (failed.length > 0) throw new Error(failed.map(({ message }) => message).join('\n'))
}

function authenticatorsOf(
  { clientAuthorities, requestHeader }: SecureServing,
  files: ServingState,
  { clock, onCertificate: onUse }: ServingSurroundings,
): readonly Authenticator[] {
  const proxy = ({ authorities: _, ...headers }: ProxyAuthentication): Authenticator =>
    requestHeaderAuthenticator({ ...headers, roots: () => files.proxies, clock })
  const clients = { roots: () => files.clients, clock, onUse }
  return [
    ...(requestHeader === undefined ? [] : [proxy(requestHeader)]),
    ...(clientAuthorities === undefined ? [] : [clientCertificateAuthenticator(clients)]),
  ]
}

/** A certificate for clients that ask for certain names. */
interface NamedPair {
  readonly pair: ReadPair
  /** In lower case. */
  readonly names: readonly string[]
  /** False for names that stand in the certificate alone: others go before them. */
  readonly given: boolean
}

/** What is shown, and who is trusted, as the files say now. */
class ServingState implements TlsSource, TrustedAuthorities {
  readonly asksForCertificates: boolean
  clients: readonly X509Certificate[] = []
  proxies: readonly X509Certificate[] = []
  readonly #secure: SecureServing
  readonly #named: NamedPair[] = []
  #pair: ReadPair | undefined
  #contexts = new Map<NamedPair, SecureContext>()
  readonly #tls: typeof import('node:tls')
  #use = (_fallback: SecureContextOptions): void => {}
  #tell = (): void => {}

  constructor(secure: SecureServing, tls: typeof import('node:tls')) {
    this.#secure = secure
    this.#tls = tls
    this.asksForCertificates = Boolean(secure.clientAuthorities ?? secure.requestHeader)
  }

  useFallback(pair: ReadPair): void {
    this.#check(pair)
    this.#pair = pair
    this.#refresh()
  }

  useNamed(index: number, pair: ReadPair, names: readonly string[] = []): void {
    this.#check(pair)
    const own = names.length > 0 ? names : namesOf(pair.certificates[0])
    this.#named[index] = {
      pair,
      names: own.map((name) => name.toLowerCase()),
      given: names.length > 0,
    }
    this.#refresh()
  }

  useClients(roots: readonly X509Certificate[]): void {
    this.clients = roots
    this.#refresh()
    this.#tell()
  }

  useProxies(roots: readonly X509Certificate[]): void {
    this.proxies = roots
    this.#refresh()
    this.#tell()
  }

  get fallback(): SecureContextOptions {
    return this.#contextOptions(this.#pair)
  }

  contextFor(name: string): SecureContext | undefined {
    const found = this.#find(name.toLowerCase())
    if (found === undefined) return undefined
    const known = this.#contexts.get(found)
    if (known !== undefined) return known
    const context = this.#tls.createSecureContext(this.#contextOptions(found.pair))
    this.#contexts.set(found, context)
    return context
  }

  onTrustChange(told: () => void): void {
    this.#tell = told
  }

  onChange(use: (fallback: SecureContextOptions) => void): void {
    this.#use = use
  }

  /** Whole names go before patterns, names that were given before those of certificates. */
  #find(name: string): NamedPair | undefined {
    const pattern = name.replace(/^[^.]+/, '*')
    const withName = (one: string, given: boolean) =>
      this.#named.find((pair) => pair?.given === given && pair.names.includes(one))
    return (
      withName(name, true) ??
      withName(name, false) ??
      withName(pattern, true) ??
      withName(pattern, false)
    )
  }

  /** @throws an Error for a pair that OpenSSL does not take, such as one with too short a key. */
  #check(pair: ReadPair): void {
    this.#tls.createSecureContext(this.#contextOptions(pair))
  }

  #refresh(): void {
    this.#contexts = new Map()
    this.#use(this.fallback)
  }

  /** Clients are told the names of all authorities: they choose a certificate by them. */
  #contextOptions(pair: ReadPair | undefined): SecureContextOptions {
    const { minVersion = 'TLSv1.2', cipherSuites } = this.#secure
    const told = [...this.clients, ...this.proxies].map(String)
    return {
      ...(pair && { cert: pair.cert, key: pair.key }),
      ...(told.length > 0 && { ca: told }),
      ...(cipherSuites !== undefined && { ciphers: cipherSuites }),
      minVersion,
      honorCipherOrder: true,
    }
  }
}

/** The host names of a certificate. */
function namesOf(certificate: X509Certificate | undefined): readonly string[] {
  const listed = certificate?.subjectAltName?.split(', ') ?? []
  return listed.flatMap((one) => (one.startsWith('DNS:') ? [one.slice(4)] : []))
}
