import type { Steps } from '../../kernel/async/slices.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import type { Json } from '../../kernel/values/json.ts'
import type { ReadMetadata } from '../reader/embedded.ts'
import { formatValueWithTypes } from '../reader/json-values.ts'
import { ReadContext } from '../reader/read-context.ts'
import { compileReader, valueSize } from '../reader/reader.ts'
import { changedSchema, type Schema, schemaOfDefault } from '../schema/schema.ts'
import { compileRules, type RuleOptions } from '../schema/validation-rules.ts'

/**
 * Bound on the work of validating all defaults of a version, in the units of `ReadContext.spend`.
 * Real definitions take some hundreds. Defaults behind the bound are not validated. One that is not
 * validated is still set: values that do not fit show as errors of the objects that get it.
 */
const maxDefaultsWork = 50_000

/**
 * The errors of defaults that do not fit their own schema, or hold fields that pruning would drop
 * (supplement C-08). Yields costs in steps. A default of the root is a whole object, with version
 * and kind. Defaults are compared with their own node only, without what stands in `allOf` and the
 * like of nodes above. Nodes inside alternatives are not visited: they cannot have defaults.
 */
export function* validateDefaults(
  root: Schema,
  path: string,
  metadata: ReadMetadata,
  options: RuleOptions,
): Steps<FieldError[]> {
  const validation = new DefaultsValidation(metadata, options)
  yield* validation.run(changedSchema(root, { embeddedResource: true }), path)
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
    const pruning = this.#unknownFields(schema, value)
    if (pruning.unknown) {
      const message = `Invalid value: ${formatValueWithTypes(value)}: must not have unknown fields`
      this.errors.push({ path, reason: 'FieldValueInvalid', message })
    }
    const { embeddedResource } = schema
    const judged = schemaOfDefault(schema, this.#options.extension)
    const context = this.#read(changedSchema(judged, { embeddedResource }), value)
    const isResource = context.finishDefault()
    for (const error of context.errors) {
      const join = isResource ? joinPaths : joinNames
      this.errors.push({ ...error, path: join(path, error.path) })
    }
    if (context.errors.length === 0) {
      for (const error of yield* this.#ruleErrors(schema, value)) {
        this.errors.push({ ...error, path: joinPaths(path, error.path) })
      }
    }
    return pruning.work + context.work + valueSize(value)
  }

  /** Whether pruning would drop something, and the work of finding out. */
  #unknownFields(schema: Schema, value: Json): { unknown: boolean; work: number } {
    if (typeof value !== 'object') return { unknown: false, work: 0 }
    const { unknownFields, work } = this.#read(changedSchema(schema, { default: undefined }), value)
    return { unknown: unknownFields.length > 0, work: work + valueSize(value) }
  }

  #read(schema: Schema, value: Json): ReadContext {
    const context = new ReadContext({ errors: [], unknownFields: [] }, { work: this.#workLeft })
    compileReader(schema, this.#metadata).read(value, context)
    return context
  }

  /** A default has to meet the rules that it is judged by in objects; one that does not compile is an error of the default. */
  *#ruleErrors(schema: Schema, value: Json): Steps<readonly FieldError[]> {
    const options = {
      ...this.#options,
      costChecked: true,
      formsChecked: true,
      notResource: !schema.embeddedResource,
    }
    const { check, errors } = yield* compileRules(schema, '', options)
    const broken = errors.filter(({ path }) => ownRule.test(path)).map(inDefault(schema.type))
    return check === undefined
      ? broken
      : [...broken, ...(yield* check(value as never, value as never))]
  }
}

/** The path of a rule of the node itself, or of all of them. */
const ownRule = /^[.]?x-[a-z]+-validations(?:\[\d+\]\.rule)?$/

/** The error of a rule that does not compile, as that of a value which it would have judged. */
function inDefault(type: string): (error: FieldError) => FieldError {
  return ({ reason, message }) => {
    if (reason === 'InternalError') {
      const why = 'failed to convert to declType for CEL validation rules'
      const text = `Invalid value: ${JSON.stringify(type)}: rule compiler initialization error: ${why}`
      return { path: '', reason: 'FieldValueInvalid', message: text }
    }
    const why = message.replace(/^Invalid value: .*?(?=compilation failed|cel expression)/s, '')
    const text = `Invalid value: ${JSON.stringify(type)}: rule compile error: ${why}`
    return { path: '', reason: 'FieldValueInvalid', message: text }
  }
}

/** Errors of keywords name an item of a list like a field, as release 1.29 does: `default.[0]`. */
function joinNames(parent: string, child: string): string {
  return child === '' ? parent : `${parent}.${child}`
}

/**
 * Errors about the value as a whole have an empty path; those about an item begin with its index.
 */
function joinPaths(parent: string, child: string): string {
  if (child === '') return parent
  return child.startsWith('[') ? `${parent}${child}` : `${parent}.${child}`
}
