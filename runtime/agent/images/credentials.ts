/** Credentials for registries, as secrets and files have them. */
import type { ImageCredentials } from '../../container-runtime/container-runtime.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import type { Entries } from '../containers/config-objects.ts'
import { type ImageName, matchesRegistry } from './registry-match.ts'

/** Credentials by the registries that they are for. */
export type RegistryCredentials = readonly (readonly [pattern: string, of: ImageCredentials])[]

/** The entries of secrets that hold credentials: the newer form, and the older one. */
const newer = '.dockerconfigjson'
const older = '.dockercfg'

/** What a secret for pulling images holds; nothing where it is no such secret. */
export function credentialsOfSecret(entries: Entries): RegistryCredentials {
  const whole = entries.get(newer)
  if (whole !== undefined) return credentialsOfFile(String(whole))
  const map = entries.get(older)
  return map === undefined ? [] : ofMap(parse(String(map)))
}

/** What a file such as `config.json` of clients of registries holds. */
export function credentialsOfFile(text: string): RegistryCredentials {
  const value = parse(text)
  return isObject(value) ? ofMap(value.auths) : []
}

/** Those for an image, the nearest ones first. */
export function credentialsFor(
  name: ImageName,
  known: RegistryCredentials,
): readonly ImageCredentials[] {
  return known
    .filter(([pattern]) => matchesRegistry(pattern, name))
    .sort(([a], [b]) => b.length - a.length)
    .map(([, one]) => one)
}

function ofMap(map: Json | undefined): RegistryCredentials {
  if (!isObject(map)) return []
  return Object.entries(map).flatMap(([server, entry]) => {
    const found = isObject(entry) ? entryOf(entry) : undefined
    return found === undefined ? [] : [[server, { ...found, server }] as const]
  })
}

function entryOf(entry: JsonObject): ImageCredentials | undefined {
  const textOf = (key: string) => (typeof entry[key] === 'string' ? entry[key] : '')
  const [name, ...rest] = Buffer.from(textOf('auth'), 'base64').toString().split(':')
  const username = textOf('username') || (name ?? '')
  const password = textOf('password') || rest.join(':').replace(/\0+$/, '')
  const identityToken = textOf('identitytoken')
  if (username === '' && identityToken === '') return undefined
  return {
    ...(username !== '' && { username, password }),
    ...(identityToken !== '' && { identityToken }),
  }
}

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return null
  }
}
