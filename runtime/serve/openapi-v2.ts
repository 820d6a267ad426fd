/**
 * The old schema document, as small as its last readers allow: command-line tools before 1.29 ask it, in its Protobuf
 * form, whether the PATCH of a kind knows `fieldValidation`. Everything else is in the version 3 documents.
 */
import type { Kind } from '../kernel/kind.ts'
import { extensionPrefixes, type Platform } from '../kernel/platform.ts'
import { versionPath } from './discovery.ts'

interface Operation {
  readonly operationId: string
  readonly parameters: readonly {
    readonly in: 'query'
    readonly name: string
    readonly type: 'string'
  }[]
  readonly responses: object
  /** Under the key `x-<extension>-group-version-kind`. */
  readonly [extension: `x-${string}`]: GroupVersionKind
}

interface GroupVersionKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

export interface Swagger {
  readonly swagger: '2.0'
  readonly info: { readonly title: string; readonly version: string }
  readonly paths: Readonly<Record<string, { readonly patch: Operation }>>
}

export function swaggerOf(platform: Platform, kinds: readonly Kind[]): Swagger {
  const patched = kinds.filter(({ verbs }) => verbs.includes('patch'))
  const paths = patched.map((kind) => [itemPath(kind), { patch: operation(platform, kind) }])
  return {
    swagger: '2.0',
    info: { title: platform.brand, version: `v${platform.release}` },
    paths: Object.fromEntries(paths),
  }
}

function itemPath({ group, version, plural, scope }: Kind): string {
  const space = scope === 'Namespaced' ? 'namespaces/{namespace}/' : ''
  return `/${versionPath(group, version)}/${space}${plural}/{name}`
}

function operation(platform: Platform, { group, version, kind, plural }: Kind): Operation {
  return {
    operationId: `patch-${group}-${version}-${plural}`,
    parameters: [{ in: 'query', name: 'fieldValidation', type: 'string' }],
    responses: {},
    ...gvkFields(platform, { group, version, kind }),
  }
}

function gvkFields(platform: Platform, gvk: GroupVersionKind): Pick<Operation, `x-${string}`> {
  const prefixes = extensionPrefixes(platform)
  return Object.fromEntries(prefixes.map((prefix) => [`x-${prefix}-group-version-kind`, gvk]))
}

/** The document as a message of the gnostic project's OpenAPIv2 schema; the numbers are its field numbers. */
export function encodeSwagger({ swagger, info, paths }: Swagger): Uint8Array {
  return message(
    [1, swagger],
    [2, message([1, info.title], [2, info.version])],
    [8, message(...Object.entries(paths).map(([path, { patch }]) => pathField(path, patch)))],
  )
}

function pathField(path: string, patch: Operation): Field {
  return [2, message([1, path], [2, message([8, operationMessage(patch)])])]
}

function operationMessage(operation: Operation): Uint8Array {
  const extensions = Object.entries(operation).filter(([key]) => key.startsWith('x-'))
  const parameters = operation.parameters.map((one): Field => {
    const query = message([2, one.in], [4, one.name], [6, one.type])
    return [8, message([1, message([2, message([3, query])])])]
  })
  return message(
    [5, operation.operationId],
    ...parameters,
    [9, new Uint8Array(0)],
    ...extensions.map(([key, gvk]): Field => {
      const yaml = `${JSON.stringify(gvk)}\n`
      return [13, message([1, key], [2, message([2, yaml])])]
    }),
  )
}

type Field = readonly [number: number, value: string | Uint8Array]

/** A message of length-delimited fields, the only sort this document needs. */
function message(...fields: readonly Field[]): Uint8Array {
  return Buffer.concat(
    fields.flatMap(([number, value]) => {
      const bytes = typeof value === 'string' ? Buffer.from(value) : value
      return [varint((number << 3) | 2), varint(bytes.length), bytes]
    }),
  )
}

function varint(value: number): Uint8Array {
  const bytes: number[] = []
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 128) return Uint8Array.of(...bytes, rest)
    bytes.push((rest & 127) | 128)
  }
}
