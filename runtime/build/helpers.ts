/** What a configuration module may import: typed objects, and how they become others. Plain data, so that it runs anywhere. */
import type { ApplyConfiguration } from '../client/client.ts'
import type { ApiObject } from '../kernel/meta/object.ts'

/** An object as a configuration states it: every field is optional but those that name it. */
export type Stated<T extends ApiObject> = ApplyConfiguration<T> & Pick<T, 'apiVersion' | 'kind'>

/** What a configuration module may export: objects, lists of them, and what the functions of this module give. */
export type Configuration = object | readonly Configuration[]

/** A step that `orch build` takes once the module is evaluated. */
export interface BuildStep {
  readonly $build: string
}

/** What a config map or a secret is made of. */
export interface Generated {
  readonly name: string
  readonly namespace?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly data: Readonly<Record<string, string>>
  readonly immutable?: boolean
}

/** A config map whose name ends in a hash of its contents; what refers to its name follows. */
export function configMap({ data, immutable, ...metadata }: Generated): BuildStep {
  const rest = immutable === undefined ? {} : { immutable }
  return hashed({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data, ...rest })
}

/** A secret whose name ends in a hash of its contents; what refers to its name follows. Values are plain texts. */
export function secret({
  data,
  immutable,
  type = 'Opaque',
  ...metadata
}: Generated & { readonly type?: string }): BuildStep {
  const encoded = Object.fromEntries(Object.entries(data).map(([key, text]) => [key, base64(text)]))
  const rest = immutable === undefined ? {} : { immutable }
  return hashed({ apiVersion: 'v1', kind: 'Secret', metadata, type, data: encoded, ...rest })
}

/** A config map or a secret whose name ends in a hash of its contents. */
export function hashed(object: object): BuildStep {
  const step = { $build: 'hashed', object }
  return step
}

/** What is changed about the names of objects, and about what refers to them. */
export interface Names {
  readonly prefix?: string
  readonly suffix?: string
  readonly namespace?: string
}

/** Objects under other names; what refers to one of them follows. */
export function named(names: Names, objects: Configuration): BuildStep {
  const step = { $build: 'named', names, objects }
  return step
}

/**
 * A base with layers over it, merged as server-side apply merges: a layer states some fields of objects, which replace what the base
 * has there. Two layers that state different values of one field are an error. An object that the base does not have is added.
 */
export function overlay(
  base: Configuration,
  layers: Readonly<Record<string, Configuration>>,
): BuildStep {
  const step = { $build: 'overlay', base, layers }
  return step
}

/** Objects with strategic merge patches, one after the other: `null` takes a field out, `$patch: 'delete'` an object or an item. */
export function patched(objects: Configuration, patches: Configuration): BuildStep {
  const step = { $build: 'patched', objects, patches }
  return step
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** The base64 form of a text as UTF-8. */
function base64(text: string): string {
  const bytes = [...unescapeBytes(encodeURIComponent(text))]
  let result = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const [a = 0, b, c] = bytes.slice(at, at + 3)
    const word = (a << 16) | ((b ?? 0) << 8) | (c ?? 0)
    const digit = (shift: number) => digits[(word >> shift) & 63] ?? ''
    result += digit(18) + digit(12) + (b === undefined ? '=' : digit(6))
    result += c === undefined ? '=' : digit(0)
  }
  return result
}

function* unescapeBytes(text: string): Iterable<number> {
  for (let at = 0; at < text.length; at++) {
    if (text[at] !== '%') yield text.charCodeAt(at)
    else {
      yield Number.parseInt(text.slice(at + 1, at + 3), 16)
      at += 2
    }
  }
}
