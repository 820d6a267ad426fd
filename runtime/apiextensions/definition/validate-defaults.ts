import type { Steps } from '../../kernel/async/slices.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { forbidden } from '../../kernel/validation/field-errors.ts'
import type { Json } from '../../kernel/values/json.ts'
import type { ReadMetadata } from '../reader/embedded.ts'
import { formatValueWithTypes } from '../reader/json-values.ts'
import { ReadContext } from '../reader/read-context.ts'
import { compileReader, valueSize } from '../reader/reader.ts'
import type { Schema } from '../schema/schema.ts'

/**
 * Bound on the work of validating all defaults of a version, in the units of `ReadContext.spend`.
 * Real definitions take some hundreds. Defaults behind the bound are not validated. One that is not
 * validated is still set: values that do not fit show as errors of the objects that get it.
 */
const maxDefaultsWork = 50_000

/**
 * The errors of defaults that do not fit their own schema, or hold fields that pruning would drop
 * (supplement C-08). Yields costs in steps. They are compared with their own node only, without
 * what stands in `allOf` and the like of nodes above. Nodes inside alternatives are not visited:
 * they cannot have defaults.
 */
export function* validateDefaults(
  root: Schema,
  path: string,
  metadata: ReadMetadata,
): Steps<FieldError[]> {
  const validation = new DefaultsValidation(metadata)
  yield* validation.run(root, path)
  return validation.errors
}

class DefaultsValidation {
  readonly errors: FieldError[] = []
  readonly #metadata: ReadMetadata
  #workLeft = maxDefaultsWork

  constructor(metadata: ReadMetadata) {
    this.#metadata = metadata
  }

  *run(schema: Schema, path: string): Steps<void> {
    const { properties, items, additionalProperties, default: value } = schema
    const isChecked = value !== undefined && this.#workLeft > 0
    const work = isChecked ? this.#validate(schema, value, `${path}.default`) : 0
    this.#workLeft -= work
    yield 1 + work / 5
    if (items) yield* this.run(items, `${path}.items`)
    for (const [name, child] of properties) {
      yield* this.run(child, `${path}.properties[${name}]`)
    }
    if (typeof additionalProperties === 'object') {
      yield* this.run(additionalProperties, `${path}.additionalProperties`)
    }
  }

  /**
   * Validates one default, and returns the work that it took. The size of the value counts as work
   * too, since reading is free in `ReadContext` and large defaults are not.
   */
  #validate(schema: Schema, value: Json, path: string): number {
    const context = new ReadContext({ errors: [], unknownFields: [] }, { work: this.#workLeft })
    compileReader({ ...schema, default: undefined }, this.#metadata).read(value, context)
    context.finish()
    if (context.unknownFields.length > 0) {
      const message = `Invalid value: ${formatValueWithTypes(value)}: must not have unknown fields`
      this.errors.push({ path, reason: 'FieldValueInvalid', message })
    }
    for (const error of context.errors) {
      this.errors.push({ ...error, path: joinPaths(path, error.path) })
    }
    return context.work + valueSize(value)
  }
}

/**
 * Errors about the value as a whole have an empty path; those about an item begin with its index.
 */
function joinPaths(parent: string, child: string): string {
  if (child === '') return parent
  return child.startsWith('[') ? `${parent}${child}` : `${parent}.${child}`
}

/**
 * The errors of defaults in the object's own metadata, which cannot have any. Metadata is read by
 * the server and not by the schema, so that a default there would never be set. Only name and
 * generateName can be declared below it, which is why one level is enough.
 */
export function validateMetadataDefaults(root: Schema, rootPath: string): readonly FieldError[] {
  const metadata = root.properties.get('metadata')
  if (metadata === undefined) return []
  const path = `${rootPath}.properties[metadata]`
  const children = [...metadata.properties].map(
    ([name, child]) => [`${path}.properties[${name}]`, child] as const,
  )
  return [[path, metadata] as const, ...children]
    .filter(([, schema]) => schema.default !== undefined)
    .map(([at]) => forbidden(`${at}.default`, 'must not be set in top-level metadata'))
}
