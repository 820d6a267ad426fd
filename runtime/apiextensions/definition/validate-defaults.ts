import type { Steps } from '../../kernel/async/slices.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
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

/** The fields of every object, which are read as what they are whatever the schema says of them. */
const objectFields: ReadonlySet<string> = new Set(['metadata', 'apiVersion', 'kind'])

/** Why a default cannot stand where it does in the metadata of an object; undefined if it can. */
function metadataProblem(within: readonly string[], value: Json): string | undefined {
  if (within.length > 1) return undefined
  const [name = ''] = within
  const shown = formatValueWithTypes(value)
  if (name !== 'metadata') {
    return typeof value === 'string'
      ? undefined
      : `${name}: Invalid value: ${shown}: must be a string`
  }
  if (isObject(value)) return undefined
  const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value
  return `metadata: Invalid value: ${shown}: json: cannot unmarshal ${type} into Go value of type v1.ObjectMeta`
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

  /** `within`: what of an object's metadata the node is; undefined outside of it. */
  *run(schema: Schema, path: string, within?: readonly string[]): Steps<void> {
    const { properties, items, default: value, embeddedResource } = schema
    const place = embeddedResource ? undefined : within
    const isChecked = value !== undefined && this.#workLeft > 0
    const work = isChecked ? yield* this.#validate(schema, value, `${path}.default`, place) : 0
    this.#workLeft -= work
    yield 1 + work / 5
    if (items) yield* this.run(items, `${path}.items`, place && [...place, '[]'])
    for (const [name, child] of properties) {
      const below =
        place !== undefined
          ? [...place, name]
          : embeddedResource && objectFields.has(name)
            ? [name]
            : undefined
      yield* this.run(child, `${path}.properties[${name}]`, below)
    }
  }

  /**
   * Validates one default, and returns the work that it took. The size of the value counts as work
   * too, since reading is free in `ReadContext` and large defaults are not.
   */
  *#validate(
    schema: Schema,
    value: Json,
    path: string,
    within: readonly string[] | undefined,
  ): Steps<number> {
    const pruning = this.#unknownFields(schema, value)
    const problem = within && metadataProblem(within, value)
    if (problem !== undefined) {
      const message = `Invalid value: ${formatValueWithTypes(value)}: must result in valid metadata: ${problem}`
      this.errors.push({ path, reason: 'FieldValueInvalid', message })
      return pruning.work + valueSize(value)
    }
    if (pruning.unknown && within === undefined) {
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
    const broken = errors.flatMap((error) => brokenRuleErrors(error, schema, value))
    return check === undefined
      ? broken
      : [...broken, ...(yield* check(value as never, value as never))]
  }
}

/** The path of a rule within a schema, or of all of a node: `.items.x-orch-validations[0].rule`. */
const rulePath = /^(.*?)[.]?x-[a-z]+-validations(?:\[\d+\]\.rule)?$/

/** The error of a rule that does not compile, told of each value that it would have judged. */
function brokenRuleErrors(
  { path, reason, message }: FieldError,
  schema: Schema,
  value: Json,
): readonly FieldError[] {
  const steps = rulePath.exec(path)?.[1]?.match(/[.](?:properties\[[^\]]*\]|\w+)/g)
  if (steps === undefined) return []
  const why =
    reason === 'InternalError'
      ? 'rule compiler initialization error: failed to convert to declType for CEL validation rules'
      : `rule compile error: ${message.replace(/^Invalid value: .*?(?=compilation failed|cel expression)/s, '')}`
  return placesOf(value, schema, steps ?? []).map((place) => ({
    path: place.path,
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${JSON.stringify(place.type)}: ${why}`,
  }))
}

/** A part of a value, and the type that its schema says. */
interface Place {
  readonly path: string
  readonly type: string
}

/** The parts of a value that a node of its schema is about. */
function placesOf(
  value: Json | undefined,
  schema: Schema | undefined,
  [step, ...rest]: readonly string[],
): readonly Place[] {
  if (schema === undefined || value === undefined || value === null) return []
  if (step === undefined) return [{ path: '', type: schema.type }]
  const below = (child: Schema | undefined, part: Json | undefined, at: string) =>
    placesOf(part, child, rest).map((place) => ({ ...place, path: joinPaths(at, place.path) }))
  if (step === '.items') {
    const items = Array.isArray(value) ? (value as readonly Json[]) : []
    return items.flatMap((item, index) => below(schema.items, item, `[${index}]`))
  }
  if (!isObject(value)) return []
  const { additionalProperties: more } = schema
  const name = /\[(.*)\]/.exec(step)?.[1]
  if (name !== undefined) return below(schema.property(name), own(value, name), name)
  const others = Object.keys(value).filter((key) => schema.property(key) === undefined)
  const child = typeof more === 'object' ? more : undefined
  return others.flatMap((key) => below(child, value[key], `[${key}]`))
}

function own(value: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(value, name) ? value[name] : undefined
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
