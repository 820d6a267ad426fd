import type { CryptoKey, JWK } from 'jose'
import type { Clock } from '../../../kernel/async/clock.ts'
import { isObject, type JsonObject } from '../../../kernel/values/json.ts'
import type { SignatureAlgorithm } from './keys.ts'
import type { KeyForAlgorithm } from './verify.ts'

/** Milliseconds between two reads of an issuer's keys: tokens with unknown keys must not make a server ask without end. */
const pauseMs = 1000

/** Reads a document of an issuer. */
export type FetchDocument = (url: string) => Promise<JsonObject>

/** The keys of an issuer, read when the first token comes, and again for a key that is not known yet. */
export class IssuerKeys {
  readonly #issuer: string
  readonly #fetch: FetchDocument
  readonly #clock: Pick<Clock, 'monotonic'>
  #keysUrl: string | undefined
  #keys: readonly JWK[] = []
  #readAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined

  constructor(issuer: string, fetch: FetchDocument, clock: Pick<Clock, 'monotonic'>) {
    this.#issuer = issuer
    this.#fetch = fetch
    this.#clock = clock
  }

  /**
   * The keys that may have signed a token, by its header.
   *
   * @throws an Error if the issuer does not tell its keys.
   */
  async keysFor(
    kid: string | undefined,
    algorithm: SignatureAlgorithm,
  ): Promise<readonly KeyForAlgorithm[]> {
    const known = this.#fitting(kid, algorithm)
    if (known.length > 0) return imported(known, algorithm)
    await this.#read()
    return imported(this.#fitting(kid, algorithm), algorithm)
  }

  #fitting(kid: string | undefined, algorithm: SignatureAlgorithm): readonly JWK[] {
    const family = algorithm.startsWith('ES') ? 'EC' : 'RSA'
    return this.#keys.filter(
      (key) =>
        key.kty === family &&
        (key.use ?? 'sig') === 'sig' &&
        (key.alg ?? algorithm) === algorithm &&
        (kid === undefined || key.kid === undefined || key.kid === kid),
    )
  }

  /** One read at a time, and none right after another. */
  #read(): Promise<void> {
    if (this.#reading !== undefined) return this.#reading
    if (this.#clock.monotonic() - this.#readAt < pauseMs) return Promise.resolve()
    this.#reading = this.#readOnce().finally(() => {
      this.#readAt = this.#clock.monotonic()
      this.#reading = undefined
    })
    return this.#reading
  }

  async #readOnce(): Promise<void> {
    this.#keysUrl ??= await this.#discover()
    const { keys } = await this.#fetch(this.#keysUrl)
    if (!Array.isArray(keys)) throw new Error(`${this.#keysUrl}: there is no list of keys`)
    this.#keys = keys.filter(isObject) as unknown as readonly JWK[]
  }

  /** Where the keys are. An issuer that goes by another name is another one. */
  async #discover(): Promise<string> {
    const url = `${this.#issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
    const { issuer, jwks_uri: keysUrl } = await this.#fetch(url)
    if (issuer !== this.#issuer) throw new Error(`${url}: the issuer is another one`)
    if (typeof keysUrl !== 'string' || !keysUrl.startsWith('https://')) {
      throw new Error(`${url}: jwks_uri is no https URL`)
    }
    return keysUrl
  }
}

/** Keys that cannot be read, such as those of an unknown curve, are passed over. */
async function imported(
  keys: readonly JWK[],
  algorithm: SignatureAlgorithm,
): Promise<readonly KeyForAlgorithm[]> {
  const { importJWK } = await import('jose')
  const read = await Promise.allSettled(keys.map((key) => importJWK(key, algorithm)))
  return read.flatMap((one) =>
    one.status === 'fulfilled' ? [{ algorithm, key: one.value as CryptoKey }] : [],
  )
}
