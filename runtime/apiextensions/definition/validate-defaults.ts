import type { Steps } from '../../kernel/async/slices.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { isObject, type Json } from '../../kernel/values/json.ts'
import type { ReadMetadata } from '../reader/embedded.ts'
import { formatValueWithTypes } from '../reader/json-values.ts'
import { ReadContext } from '../reader/read-context.ts'
import { compileReader, valueSize } from '../reader/reader.ts'
import { changedSchema, type Schema } from '../schema/schema.ts'
import { compileRules, type RuleOptions } from '../schema/validation-rules.ts'

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
  options: RuleOptions,
): Steps<FieldError[]> {
  const validation = new DefaultsValidation(metadata, options)
  yield* validation.run(root, path)
  return validation.errors
}

class DefaultsValidation {
  readonly errors: FieldError[] = []
  readonly #metadata: ReadMetadata
  readonly #options: RuleOptions
  #workLeft = maxDefaultsWork

  constructor(metadata: ReadMetadata, options: RuleOptions) {
    this.#metadata = metadata
    this.#options = options
  }

  *run(schema: Schema, path: string): Steps<void> {
    const { properties, items, default: value } = schema
    const isChecked = value !== undefined && this.#workLeft > 0
    const work = isChecked ? yield* this.#validate(schema, value, `${path}.default`) : 0
    this.#workLeft -= work
    yield 1 + work / 5
    if (items) yield* this.run(items, `${path}.items`)
    for (const [name, child] of properties) {
      yield* this.run(child, `${path}.properties[${name}]`)
    }
  }

  /**
   * Validates one default, and returns the work that it took. The size of the value counts as work
   * too, since reading is free in `ReadContext` and large defaults are not.
   */
  *#validate(schema: Schema, value: Json, path: string): Steps<number> {
    const context = new ReadContext({ errors: [], unknownFields: [] }, { work: this.#workLeft })
    compileReader(changedSchema(schema, { default: undefined }), this.#metadata).read(
      value,
      context,
    )
    context.finish()
    if (context.unknownFields.length > 0 || isPrunedWhole(schema, value)) {
      const message = `Invalid value: ${formatValueWithTypes(value)}: must not have unknown fields`
      this.errors.push({ path, reason: 'FieldValueInvalid', message })
    }
    const errors = [...context.errors]
    if (errors.length === 0) errors.push(...(yield* this.#ruleErrors(schema, value)))
    for (const error of errors) {
      this.errors.push({ ...error, path: joinPaths(path, error.path) })
    }
    return context.work + valueSize(value)
  }

  /** A default has to meet the rules that it is judged by in objects. One that does not compile is told elsewhere. */
  *#ruleErrors(schema: Schema, value: Json): Steps<readonly FieldError[]> {
    const options = { ...this.#options, costChecked: true, notResource: !schema.embeddedResource }
    const { check } = yield* compileRules(schema, '', options)
    return check === undefined ? [] : yield* check(value as never, value as never)
  }
}

/** True for an object with fields where the schema wants a value of another type: none of them is kept. */
function isPrunedWhole({ type, preserveUnknownFields }: Schema, value: Json): boolean {
  if (!isObject(value) || Object.keys(value).length === 0) return false
  return type !== 'object' && type !== '' && !preserveUnknownFields
}

/**
 * Errors about the value as a whole have an empty path; those about an item begin with its index.
 */
function joinPaths(parent: string, child: string): string {
  if (child === '') return parent
  return child.startsWith('[') ? `${parent}${child}` : `${parent}.${child}`
}
