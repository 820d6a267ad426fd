import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { allowListeners } from '../../kernel/async/abort-signal.ts'
import { type Clock, systemClock } from '../../kernel/async/clock.ts'
import { isStatus, StatusError } from '../../kernel/errors/status-error.ts'
import type { ConnectionConfig, Credentials } from './connection-config.ts'
import { authorization, credentialWords, type Headers, impersonation } from './credentials.ts'
import { createDialer } from './dialer.ts'
import type { Dialer, RawResponse } from './dialer-contract.ts'
import { createLookups, type Lookups } from './lookups.ts'
import { networkErrorWords } from './network-errors.ts'
import type { Transport, TransportRequest, TransportResponse } from './transport.ts'

/**
 * A transport over HTTP or HTTPS to `config.server`. Connections are kept for the next request; those of a certificate
 * that was replaced are not used again. Over HTTPS, HTTP/2 is spoken where the server chooses it: requests and watches
 * share a connection then.
 *
 * @throws StatusError `BadRequest` for an address that is none, a proxy of an unknown protocol, and groups to act as without a user.
 */
export function httpTransport(
  config: Pick<ConnectionConfig, 'server'> & Partial<ConnectionConfig>,
  clock: Clock = systemClock,
): Transport {
  return new HttpTransport(config, clock)
}

/** `localhost:8080` would be read as a URL, too: one of the protocol `localhost:`. */
function serverUrl(server: string): URL {
  const url = URL.canParse(server) ? new URL(server) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url
  const wanted = 'expected http:// or https:// and a host, such as https://localhost:6443'
  throw new StatusError('BadRequest', `server: ${JSON.stringify(server)}: ${wanted}`)
}

/** What requests are sent with until the credentials change. */
interface Session {
  readonly credentials: Credentials
  readonly dialer: Dialer
  readonly headers: Headers
}

class HttpTransport implements Transport {
  readonly host: string
  readonly #config: Partial<ConnectionConfig>
  readonly #clock: Clock
  readonly #url: URL
  readonly #base: string
  /** What every request says beside who sends it. */
  readonly #headers: Headers
  readonly #lookups: Lookups
  #session: Session

  constructor(config: Pick<ConnectionConfig, 'server'> & Partial<ConnectionConfig>, clock: Clock) {
    this.#config = config
    this.#clock = clock
    this.#lookups = createLookups(clock)
    this.#url = serverUrl(config.server)
    this.host = this.#url.host
    this.#base = this.#url.pathname.replace(/\/$/, '')
    const compressed = config.compression ?? !isLoopback(this.#url.hostname)
    this.#headers = {
      ...impersonation(config.impersonate),
      ...(compressed && { 'accept-encoding': 'gzip' }),
    }
    this.#session = this.#begin(config)
  }

  onLookup(hear: (ms: number) => void): void {
    this.#lookups.hear(hear)
  }

  send(request: TransportRequest): Promise<TransportResponse> {
    return this.#config.credentials === undefined
      ? this.#exchange(this.#session, request)
      : this.#sendWithSource(this.#config.credentials, request)
  }

  /** What a 401 means for who sends requests here. */
  get refusedCredentials(): string {
    const { origin } = this.#config
    const words = credentialWords(this.#session.credentials, this.#clock.now())
    return `the server does not accept ${words}${origin === undefined ? '' : ` (${origin})`}`
  }

  async close(): Promise<void> {
    this.#session.dialer.close()
  }

  /** A 401 says that nothing was done: with other credentials, the request is sent once more. */
  async #sendWithSource(
    source: NonNullable<ConnectionConfig['credentials']>,
    request: TransportRequest,
  ): Promise<TransportResponse> {
    const session = this.#sessionOf(await source.current())
    const response = await this.#exchange(session, request)
    if (response.status !== 401 || !(await source.refused(session.credentials))) return response
    const next = this.#sessionOf(await source.current())
    for await (const _ of response.body);
    return this.#exchange(next, request)
  }

  #sessionOf(credentials: Credentials): Session {
    const { credentials: known, dialer } = this.#session
    if (known === credentials) return this.#session
    const same =
      known.cert === credentials.cert &&
      known.key === credentials.key &&
      known.ca === credentials.ca
    if (!same) dialer.retire()
    this.#session = this.#begin(credentials, same ? dialer : undefined)
    return this.#session
  }

  #begin(credentials: Credentials, dialer?: Dialer): Session {
    return {
      credentials,
      dialer:
        dialer ??
        createDialer(this.#url, this.#config, credentials, {
          clock: this.#clock,
          lookup: this.#lookups.lookup,
        }),
      headers: { ...authorization(credentials), ...this.#headers },
    }
  }

  async #exchange(session: Session, request: TransportRequest): Promise<TransportResponse> {
    try {
      const { body } = request
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
      const headers = { ...session.headers, ...request.headers, ...length }
      if (request.signal !== undefined) allowListeners(request.signal)
      return toResponse(
        request,
        await session.dialer.send(this.#base + request.path, request, headers),
      )
    } catch (error) {
      if (request.signal?.aborted || isStatus(error)) throw error
      const words = networkErrorWords(error, { host: this.host, method: request.method })
      throw new Error(words, { cause: error })
    }
  }
}

/** Who asks for compressed answers gets them as they come; otherwise the body is what the server meant. */
function toResponse({ headers }: TransportRequest, response: RawResponse): TransportResponse {
  const asked = headers['accept-encoding'] !== undefined
  const compressed = !asked && response.headers['content-encoding'] === 'gzip'
  return compressed
    ? { ...response, body: pipeline(response.body, createGunzip(), () => {}) }
    : response
}

/** Within one machine, compressing costs more than sending. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.[\d.]+$/.test(hostname)
}
