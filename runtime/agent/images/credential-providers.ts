/** Programs of the node that are asked for credentials. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import type { Clock } from '../../kernel/async/clock.ts'
import { errorText } from '../../kernel/errors/error-text.ts'
import { parseDuration } from '../../kernel/values/duration.ts'
import { isObject, type Json } from '../../kernel/values/json.ts'
import type { Log } from '../../observe/observe.ts'
import type { RegistryCredentials } from './credentials.ts'
import { type ImageName, matchesRegistry } from './registry-match.ts'

/** A program, and the images that it has credentials for. */
export interface ProviderProgram {
  readonly name: string
  readonly matchImages: readonly string[]
  readonly defaultCacheDuration: string
  readonly apiVersion: string
  readonly args?: readonly string[]
  readonly env?: readonly { readonly name: string; readonly value: string }[]
}

/** Asks the programs that are for an image. */
export interface ProviderCredentials {
  for(name: ImageName): Promise<RegistryCredentials>
}

export interface ProviderOptions {
  readonly programs: readonly ProviderProgram[]
  /** Where they stand. */
  readonly folder: string
  /** The variables that each of them gets beside its own. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  readonly log: Log
}

interface Kept {
  readonly until: number
  readonly credentials: RegistryCredentials
}

const mostMs = 60_000
const mostBytes = 1024 * 1024
const mostKept = 1000

/** The programs of a folder; what they say is kept as long as they say. One that fails gives nothing. */
export function providerCredentials(options: ProviderOptions): ProviderCredentials {
  const { programs, clock, log } = options
  const kept = new Map<string, Kept>()

  async function ask(program: ProviderProgram, name: ImageName): Promise<RegistryCredentials> {
    const image = `${name.registry}/${name.path}`
    const keys = [`Image ${image}`, `Registry ${name.registry}`, 'Global']
    const known = keys.map((key) => kept.get(`${program.name} ${key}`))
    const fresh = known.find((one) => one !== undefined && one.until > clock.now())
    if (fresh !== undefined) return fresh.credentials
    const answer = await run(program, options, image)
    const ms = parseDuration(answer.cacheDuration ?? program.defaultCacheDuration) ?? 0
    const key = keys.find((one) => one.startsWith(answer.cacheKeyType)) ?? `Image ${image}`
    if (kept.size >= mostKept) kept.clear()
    if (ms > 0) {
      const until = clock.now() + ms
      kept.set(`${program.name} ${key}`, { until, credentials: answer.credentials })
    }
    return answer.credentials
  }

  return {
    async for(name) {
      const found: RegistryCredentials[] = []
      for (const program of programs) {
        if (!program.matchImages.some((pattern) => matchesRegistry(pattern, name))) continue
        try {
          found.push(await ask(program, name))
        } catch (error) {
          log.error('a provider of credentials fails', { provider: program.name }, error)
        }
      }
      return found.flat()
    },
  }
}

interface Answer {
  readonly cacheKeyType: string
  readonly cacheDuration: string | undefined
  readonly credentials: RegistryCredentials
}

function run(
  { name, args = [], env = [], apiVersion }: ProviderProgram,
  { folder, environment }: ProviderOptions,
  image: string,
): Promise<Answer> {
  const variables = Object.fromEntries(env.map((one) => [one.name, one.value]))
  return new Promise((resolve, reject) => {
    const child = execFile(
      join(folder, name),
      args,
      { env: { ...environment, ...variables }, timeout: mostMs, maxBuffer: mostBytes },
      (error, stdout, stderr) => {
        if (error !== null) {
          return reject(new Error(stderr.trim().slice(-1000) || errorText(error)))
        }
        try {
          resolve(readAnswer(JSON.parse(stdout) as Json, apiVersion))
        } catch (wrong) {
          reject(new Error(`its answer is wrong: ${errorText(wrong)}`))
        }
      },
    )
    child.stdin?.on('error', () => {})
    child.stdin?.end(JSON.stringify({ kind: 'CredentialProviderRequest', apiVersion, image }))
  })
}

function readAnswer(value: Json, apiVersion: string): Answer {
  if (!isObject(value) || value.apiVersion !== apiVersion) {
    throw new Error(`expected a CredentialProviderResponse of ${apiVersion}`)
  }
  const auth = isObject(value.auth) ? Object.entries(value.auth) : []
  const textOf = (one: Json | undefined) => (typeof one === 'string' ? one : '')
  return {
    cacheKeyType: textOf(value.cacheKeyType),
    cacheDuration: textOf(value.cacheDuration) || undefined,
    credentials: auth.flatMap(([pattern, one]) =>
      isObject(one)
        ? [[pattern, { username: textOf(one.username), password: textOf(one.password) }] as const]
        : [],
    ),
  }
}
