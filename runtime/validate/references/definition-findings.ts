import { annotationOf, definedReferences } from '../../kernel/descriptors/defined-references.ts'
import { referencesAnnotation } from '../../kernel/descriptors/references.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { followPath, type LocatedValue, type TextRange } from '../../serializer/serializer.ts'
import type { ObjectName } from '../rules/finding.ts'
import { finding, type PartFinding } from '../rules/part-finding.ts'

interface NamedObject {
  readonly value: JsonObject
  readonly name: ObjectName
}

/** True for a definition that declares references of its kind. */
export function declaresReferences({ name, value }: NamedObject): boolean {
  return name.kind === 'CustomResourceDefinition' && annotationOf(value) !== undefined
}

/** What is wrong with the references that a definition declares of its kind. */
export function definitionFindings(
  found: NamedObject & { readonly root: LocatedValue<TextRange> },
): readonly PartFinding[] {
  if (!declaresReferences(found)) return []
  const { root, value } = found
  const { types, problems } = definedReferences(value, { structs: {}, unions: {}, kinds: {} })
  const schemas = schemasOf(value)
  const rows = Object.values(types.references ?? {}).flat()
  const missing = rows.flatMap(({ field }, index) =>
    schemas.some((schema) => leads(schema, field.match(/\[\]|[^.[\]]+/g) ?? []))
      ? []
      : [`[${index}] names ${field}, which no version has`],
  )
  const path = `metadata.annotations[${referencesAnnotation}]`
  const { at } = followPath(root, path).node
  return [...problems, ...missing].map((one) =>
    finding('definition.references', `${path}: ${one}`, at, path),
  )
}

function schemasOf({ spec }: JsonObject): readonly Json[] {
  const versions = isObject(spec) && Array.isArray(spec.versions) ? spec.versions : []
  return versions.flatMap((version) => {
    const schema = isObject(version) && isObject(version.schema) ? version.schema : {}
    return schema.openAPIV3Schema ?? []
  })
}

/** True if a schema has the field, or keeps fields that it does not name. */
function leads(schema: Json | undefined, [step, ...rest]: readonly string[]): boolean {
  if (!isObject(schema)) return false
  if (step === undefined) return true
  if (step === '[]') return leads(schema.items, rest)
  const { properties } = schema
  const own = isObject(properties) && Object.hasOwn(properties, step) ? properties[step] : undefined
  if (own !== undefined) return leads(own, rest)
  return Object.keys(schema).some((key) => key.endsWith('-preserve-unknown-fields'))
}
