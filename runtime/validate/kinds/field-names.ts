import type { CustomKind } from '../../apiextensions/apiextensions.ts'
import type { FieldTypes } from '../../kernel/descriptors/field-types.ts'

/** The names of the fields that a value at a path of a report may have; none where nothing is known of it. */
export type FieldNames = (path: string) => readonly string[]

/** Those of a kind that was generated. */
export function generatedFieldNames(
  { kinds, structs }: FieldTypes,
  apiVersion: string,
  kind: string,
): FieldNames {
  const root = kinds[`${apiVersion}/${kind}`]
  return (path) => {
    let type = root
    for (const step of stepsOf(path)) {
      if (type === undefined) return []
      type = step.startsWith('[') ? itemType(type) : fieldType(structs, type, step)
    }
    const known = type !== undefined && Object.hasOwn(structs, type)
    return known ? Object.keys(structs[type as string] as object) : []
  }
}

/** The type and the field that a path leads to, as far as it leads anywhere; the type alone for a whole object. */
export type Declarations = (
  path: string,
) => { readonly type: string; readonly field?: string } | undefined

/** Those of a kind that was generated. */
export function generatedDeclarations(
  { kinds, structs }: FieldTypes,
  apiVersion: string,
  kind: string,
): Declarations {
  const root = kinds[`${apiVersion}/${kind}`]
  return (path) => {
    if (root === undefined) return undefined
    let found: { type: string; field?: string } = { type: root }
    let type: string | undefined = root
    for (const step of stepsOf(path)) {
      if (step.startsWith('[')) {
        type = itemType(type)
      } else {
        const struct: string = type
        type = fieldType(structs, type, step)
        if (type !== undefined && Object.hasOwn(structs, struct)) {
          found = { type: struct, field: step }
        } else if (Object.hasOwn(structs, struct)) found = { type: struct }
      }
      if (type === undefined) break
    }
    return found
  }
}

/** The type of the items of a list, or of the values of a map; undefined for another type. */
export function itemType(type: string): string | undefined {
  if (type.startsWith('[]')) return type.slice(2)
  return type.startsWith('map[string]') ? type.slice('map[string]'.length) : undefined
}

/** The type of a field, or of a value of a map; undefined where nothing is known of it. */
export function fieldType(
  structs: FieldTypes['structs'],
  type: string,
  field: string,
): string | undefined {
  if (type.startsWith('map[string]')) return itemType(type)
  const fields = Object.hasOwn(structs, type) ? structs[type] : undefined
  const row = fields !== undefined && Object.hasOwn(fields, field) ? fields[field] : undefined
  return typeof row === 'string' ? row : row?.[0]
}

/** Those of a kind that a definition makes. */
export function customFieldNames({ schema }: CustomKind): FieldNames {
  return (path) => {
    let node: CustomKind['schema'] | undefined = schema
    for (const step of stepsOf(path)) {
      const more: CustomKind['schema'] | boolean | undefined = node?.additionalProperties
      const rest: CustomKind['schema'] | undefined = typeof more === 'object' ? more : undefined
      node = step.startsWith('[') ? (node?.items ?? rest) : (node?.property(step) ?? rest)
    }
    const own = [...(node?.properties.keys() ?? [])]
    return path === '' ? ['apiVersion', 'kind', 'metadata', ...own] : own
  }
}

/** The path of a definition's schema to the schema of a field: `properties.spec.properties.size`, as far as there is one. */
export function schemaPath({ schema }: CustomKind, path: string): string {
  let node: CustomKind['schema'] | undefined = schema
  let found = ''
  for (const step of stepsOf(path)) {
    const more: CustomKind['schema'] | boolean | undefined = node?.additionalProperties
    const rest: CustomKind['schema'] | undefined = typeof more === 'object' ? more : undefined
    const own: CustomKind['schema'] | undefined = step.startsWith('[')
      ? node?.items
      : node?.property(step)
    node = own ?? rest
    if (node === undefined) break
    if (own === undefined) found += '.additionalProperties'
    else found += step.startsWith('[') ? '.items' : `.properties.${step}`
  }
  return found
}

/** The steps of a path: `spec.containers[0].name` is `spec`, `containers`, `[0]`, `name`. */
function stepsOf(path: string): readonly string[] {
  return path.match(/\[[^\]]*\]|[^.[\]]+/g) ?? []
}
