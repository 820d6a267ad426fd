import { readFile } from 'node:fs/promises'
import {
  parseSigningKey,
  parseVerificationKeys,
  publicPartOf,
  type ServiceAccountOptions,
} from '../../runtime/apiserver/apiserver.ts'
import { followFiles, type Options } from '../../runtime/config/config.ts'
import type { Clock } from '../../runtime/kernel/async/clock.ts'
import type { Log } from '../../runtime/observe/observe.ts'

/** What the flags of service account tokens say. */
export interface ServiceAccountSettings {
  readonly serviceAccounts: ServiceAccountOptions
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
  /** Follows the files of keys until the signal aborts; what is wrong with them is logged, and the keys before stay. */
  follow(following: { clock: Clock; log: Log; signal: AbortSignal }): Promise<void>
}

type Keys = ReturnType<NonNullable<ServiceAccountOptions['keys']>>
type Key = ReturnType<NonNullable<ServiceAccountOptions['signingKey']>>

const hour = 60 * 60
/** Seconds of a token that pods get by default, and those that it is extended to. */
const [podDefault, extended] = [3607, 365 * 24 * hour]

/** Reads the flags and the files of keys, and says everything that is wrong. */
export async function serviceAccountSettings(options: Options): Promise<ServiceAccountSettings> {
  const issuers = options.strings('service-account-issuer')
  const files = new KeyFiles(
    options.strings('service-account-key-file'),
    options.string('service-account-signing-key-file'),
  )
  const seconds = options.milliseconds('service-account-max-token-expiration') / 1000
  const extendExpiration = options.boolean('service-account-extend-token-expiration')
  const jwksUri = options.string('service-account-jwks-uri')
  return {
    problems: [
      ...(await files.readNow()),
      ...combinationProblems(options, issuers),
      ...issuerProblems(issuers),
      ...(seconds !== 0 && (seconds < hour || seconds > 2 ** 32)
        ? ['--service-account-max-token-expiration must be between 1h0m0s and 2^32 seconds']
        : []),
      ...(jwksUri !== '' && !jwksUri.startsWith('https://')
        ? ['--service-account-jwks-uri must be an https URL']
        : []),
    ],
    warnings: expirationWarnings(seconds, extendExpiration),
    serviceAccounts: {
      ...(issuers.length > 0 && { issuers }),
      ...files.settings,
      lookup: options.boolean('service-account-lookup'),
      extendExpiration,
      ...(seconds > 0 && { maxExpirationSeconds: seconds }),
      ...(jwksUri !== '' && { jwksUri }),
    },
    follow: (following) => files.follow(following),
  }
}

/** Who else is to believe tokens needs to know who issues them, and a key that stays. */
function combinationProblems(options: Options, issuers: readonly string[]): readonly string[] {
  const signs = options.string('service-account-signing-key-file') !== ''
  const verifies = options.strings('service-account-key-file').length > 0
  const named = issuers.length > 0
  if (verifies && !signs) {
    return [
      '--service-account-key-file needs --service-account-signing-key-file: tokens are signed with a key that is made anew with each start otherwise',
    ]
  }
  if (signs === named) return []
  return ['--service-account-issuer and --service-account-signing-key-file must be given together']
}

function issuerProblems(issuers: readonly string[]): readonly string[] {
  const flag = '--service-account-issuer'
  return issuers.flatMap((issuer, index) => [
    ...(issuer === '' ? [`${flag} must not be empty`] : []),
    ...(issuer.includes(':') && !URL.canParse(issuer)
      ? [`${flag}: ${issuer} has a colon, but is no URL`]
      : []),
    ...(issuers.indexOf(issuer) < index ? [`${flag}: ${issuer} is given twice`] : []),
  ])
}

function expirationWarnings(seconds: number, extendsExpiration: boolean): readonly string[] {
  if (seconds <= 0 || !extendsExpiration || seconds >= extended) return []
  const flag = '--service-account-extend-token-expiration'
  const warning = `${flag}: tokens of pods stay good for ${extended} seconds, longer than --service-account-max-token-expiration; turn it off to end them in time`
  return seconds < podDefault
    ? [
        `${flag} has no effect: pods ask for ${podDefault} seconds, which --service-account-max-token-expiration shortens`,
      ]
    : [warning]
}

/** The keys of files, as they are now. */
class KeyFiles {
  readonly #verifying: readonly string[]
  readonly #signing: string
  #key: Key | undefined
  #keys: Keys = []

  constructor(verifying: readonly string[], signing: string) {
    this.#verifying = verifying
    this.#signing = signing
  }

  get #paths(): readonly string[] {
    return this.#signing === '' ? [] : [this.#signing, ...this.#verifying]
  }

  get settings(): Pick<ServiceAccountOptions, 'keys' | 'signingKey'> {
    if (this.#signing === '') return {}
    return { keys: () => this.#keys, signingKey: () => this.#key as Key }
  }

  /** Everything that is wrong with the files. */
  async readNow(): Promise<readonly string[]> {
    const read = await Promise.allSettled(this.#paths.map((path) => readFile(path)))
    const unread = read.flatMap((one) =>
      one.status === 'rejected' ? [String(one.reason.message)] : [],
    )
    if (unread.length > 0) return unread
    return this.#take(read.map((one) => (one as PromiseFulfilledResult<Buffer>).value))
  }

  async follow(following: { clock: Clock; log: Log; signal: AbortSignal }): Promise<void> {
    if (this.#paths.length === 0) return
    const onChange = (contents: readonly Buffer[]): void => {
      const problems = this.#take(contents)
      if (problems.length > 0) throw new Error(problems.join('\n'))
    }
    await followFiles(this.#paths, { ...following, what: 'keys of service accounts', onChange })
  }

  /** Takes the keys unless something is wrong with any. */
  #take([signing, ...verifying]: readonly Buffer[]): readonly string[] {
    if (signing === undefined) return []
    const key = parseSigningKey(signing.toString())
    const others = verifying.map((one) => parseVerificationKeys(one.toString()))
    const problems = [key, ...others].flatMap((one, index) =>
      one.problems.map((problem) => `${this.#paths[index]}: ${problem}`),
    )
    const [first] = key.keys
    if (problems.length > 0 || first === undefined) return problems
    const all = [...others.flatMap(({ keys }) => keys), publicPartOf(first)]
    this.#key = first
    this.#keys = all.filter(({ kid }, index) => all.findIndex((one) => one.kid === kid) === index)
    return []
  }
}
