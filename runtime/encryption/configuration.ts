import type {
  EncryptionConfiguration,
  Key,
  KMSConfiguration,
  ProviderConfiguration,
} from '../../generated/config/encryption/v1.ts'
import type { Clock } from '../kernel/async/clock.ts'
import { groupNames, type Platform } from '../kernel/descriptors/platform.ts'
import { parseDuration } from '../kernel/values/duration.ts'
import type { Log } from '../observe/observe.ts'
import { aesCbc } from './ciphers/aes-cbc.ts'
import { aesGcm } from './ciphers/aes-gcm.ts'
import { EncryptionRules, fullName } from './encryption-rules.ts'
import { identityProvider } from './providers/identity-provider.ts'
import { keyedProvider } from './providers/keyed-provider.ts'
import type { Provider } from './providers/provider.ts'
import { ProviderChain } from './providers/provider-chain.ts'

/** Something wrong with a configuration, beyond what its schema can say. */
export interface EncryptionProblem {
  /** The field, such as `resources[1].resources[0]`. */
  readonly path: string
  readonly message: string
}

/** What is wrong with the entries of a configuration taken together. */
export function encryptionProblems(
  { resources: entries }: EncryptionConfiguration,
  platform: Platform,
): readonly EncryptionProblem[] {
  const problems: EncryptionProblem[] = []
  const named = new Set<string>()
  const services = new Set<string>()
  entries.forEach(({ resources, providers }, index) => {
    const entry = `resources[${index}]`
    const names = resources.map(fullName)
    names.forEach((name, at) => {
      const path = `${entry}.resources[${at}]`
      const problem = nameProblem(resources[at] ?? '', platform)
      if (problem !== undefined) problems.push({ path, message: problem })
      const beside = starOf(name, new Set(names))
      const earlier = starOf(name, named)
      if (beside !== undefined && beside !== name)
        problems.push({ path, message: besideStar(beside) })
      else if (earlier !== undefined) problems.push({ path, message: behindStar(earlier) })
    })
    for (const name of names) named.add(name)
    providers.forEach(({ kms }, at) => {
      if (kms === undefined) return
      const path = `${entry}.providers[${at}].kms`
      problems.push(...serviceProblems(kms, path, services))
      services.add(kms.name)
    })
  })
  return problems
}

/** What no resource is named. */
function nameProblem(name: string, platform: Platform): string | undefined {
  if (/[A-Z]/.test(name)) return 'must have no capital letters'
  if (name === '*') return 'must be "*." for the core group or "*.*" for everything'
  if (name !== '*.*' && name.endsWith('.*')) return 'must be of one group, or "*.*" for everything'
  const isEvents = groupNames('events', platform).some((group) => name.endsWith(`.${group}`))
  return isEvents ? 'must be events: these objects are stored under that name' : undefined
}

/** The star among `names` that stands for a name, too. */
function starOf(name: string, names: ReadonlySet<string>): string | undefined {
  const group = name.slice(name.indexOf('.'))
  return ['*.*', `*${group}`].find((star) => names.has(star))
}

function besideStar(star: string): string {
  return `stands beside "${star}", which stands for it, too: leave it out, or give it an entry of its own before this one`
}

function behindStar(star: string): string {
  return `an earlier entry names "${star}", which stands for it, too: put this entry before that one`
}

function serviceProblems(
  { name, apiVersion }: KMSConfiguration,
  path: string,
  known: ReadonlySet<string>,
): readonly EncryptionProblem[] {
  const problems: EncryptionProblem[] = []
  if (known.has(name)) {
    problems.push({
      path: `${path}.name`,
      message: `another provider is named "${name}": names must differ`,
    })
  }
  if (apiVersion !== 'v2') {
    const message = 'version v1 of the interface is not supported: set it to v2'
    problems.push({ path: `${path}.apiVersion`, message })
  }
  return problems
}

/** What rules are made with. */
export interface EncryptionContext {
  readonly clock: Clock
  readonly log: Log
}

/** The rules of a configuration without problems. Two entries for one resource are one, in their order. */
export async function encryptionRules(
  { resources: entries }: EncryptionConfiguration,
  context: EncryptionContext,
): Promise<EncryptionRules> {
  const all: Provider[] = []
  const byName = new Map<string, Provider[]>()
  for (const { resources, providers: configured } of entries) {
    const providers = (await Promise.all(configured.map((one) => providersOf(one, context)))).flat()
    all.push(...providers)
    for (const name of resources.map(fullName)) {
      byName.set(name, [...(byName.get(name) ?? []), ...providers])
    }
  }
  const chains = [...byName].map(
    ([name, [first = identityProvider, ...rest]]) =>
      [name, new ProviderChain([first, ...rest])] as const,
  )
  return new EncryptionRules(new Map(chains), all)
}

/** One for each key, the one that encrypts first. */
async function providersOf(
  { aesgcm, aescbc, secretbox, kms }: ProviderConfiguration,
  context: EncryptionContext,
): Promise<readonly Provider[]> {
  const keyed = (
    method: string,
    keys: readonly Key[],
    make: Parameters<typeof keyedProvider>[2],
  ): readonly Provider[] => keys.map((key) => keyedProvider(method, key, make))
  if (aesgcm !== undefined) return keyed('aesgcm:v1', aesgcm.keys, aesGcm)
  if (aescbc !== undefined) return keyed('aescbc:v1', aescbc.keys, aesCbc)
  if (secretbox !== undefined) {
    const { secretbox: make } = await import('./ciphers/secretbox.ts')
    return keyed('secretbox:v1', secretbox.keys, make)
  }
  if (kms !== undefined) return [await serviceProvider(kms, context)]
  return [identityProvider]
}

/** The time that a service gets for an answer where the configuration does not say. */
const answerMs = 3000

async function serviceProvider(
  { name, endpoint, timeout }: KMSConfiguration,
  context: EncryptionContext,
): Promise<Provider> {
  const { kmsProvider } = await import('./kms/kms-provider.ts')
  const timeoutMs = (timeout === undefined ? undefined : parseDuration(timeout)) ?? answerMs
  return kmsProvider({ ...context, name, endpoint, timeoutMs })
}
