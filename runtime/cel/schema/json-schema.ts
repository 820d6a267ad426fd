/**
 * Reads JSON schemas, those of a published OpenAPI document (with references) and of a CustomResourceDefinition, as
 * nodes for validation rules. Nodes are read lazily, so a document that refers to itself is no endless recursion.
 */

import {
  type RuleTable,
  ruleKeywordPrefix,
  type ValidationRule,
} from '../../kernel/descriptors/validation-rules.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import type { SchemaNode, SchemaOptions } from './schema-node.ts'

/** The root node of a JSON schema. */
export function readSchema(json: JsonObject, options: SchemaOptions): SchemaNode {
  const { name, found, special } = flatten(json, options)
  return new JsonNode(found, options, name, special)
}

/** The root node of the schema in which generated validation rules are kept. */
export function schemaOf({ root, schemas }: RuleTable): SchemaNode {
  const known = new Map<string, JsonObject | undefined>()
  const resolve = (name: string): JsonObject | undefined => {
    if (!known.has(name)) known.set(name, Object.hasOwn(schemas, name) ? schemas[name]?.() : {})
    return known.get(name)
  }
  return readSchema({ $ref: root }, { prefixes: [ruleKeywordPrefix], resolve })
}

/** The longest chain of references that is followed. */
const referenceDepth = 16

/**
 * Follows `$ref`, also the single reference of an `allOf` that has a description or default beside it. `special`: the
 * rules beside references, which the referred definition does not have.
 */
function flatten(
  json: JsonObject,
  options: SchemaOptions,
): { readonly name: string | undefined; readonly found: JsonObject; readonly special: string } {
  let [found, name, special] = [json, undefined as string | undefined, '']
  if (options.resolve === undefined) return { name, found, special }
  for (let depth = 0; depth < referenceDepth; depth++) {
    const all = own(found, 'allOf')
    const wrapped = Array.isArray(all) && all.length === 1 && isObject(all[0]) ? all[0] : undefined
    const reference = own(wrapped ?? found, '$ref')
    if (typeof reference !== 'string') break
    name ??= reference.slice(reference.lastIndexOf('/') + 1)
    const { allOf: _, $ref: __, ...beside } = found
    const target = options.resolve(reference) ?? {}
    found = { ...target, ...beside }
    for (const key of Object.keys(beside).filter((each) => each.endsWith('-validations'))) {
      special += JSON.stringify(beside[key])
      found = { ...found, [key]: [...listOf(own(target, key)), ...listOf(beside[key])] }
    }
  }
  return { name, found, special }
}

function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value : []
}

/** Never an inherited member: a property may be called `constructor`. */
function own(json: JsonObject, key: string): unknown {
  return Object.hasOwn(json, key) ? json[key] : undefined
}

/** A node over raw JSON. Members of a wrong type count as absent: the schema was validated before. */
class JsonNode implements SchemaNode {
  declare readonly name?: string
  readonly validationsBesideRef: string
  readonly #json: JsonObject
  readonly #options: SchemaOptions
  #properties: ReadonlyMap<string, SchemaNode> | undefined
  #additional: SchemaNode | undefined
  #items: SchemaNode | undefined

  constructor(json: JsonObject, options: SchemaOptions, name: string | undefined, special: string) {
    if (name !== undefined) this.name = name
    this.validationsBesideRef = special
    this.#json = json
    this.#options = options
  }

  #text(key: string): string {
    const value = own(this.#json, key)
    return typeof value === 'string' ? value : ''
  }

  #limit(key: string): number | undefined {
    const value = own(this.#json, key)
    if (typeof value === 'bigint') return Number.MAX_SAFE_INTEGER
    return typeof value === 'number' ? Math.max(0, value) : undefined
  }

  #extension(name: string): unknown {
    for (const prefix of this.#options.prefixes) {
      const value = own(this.#json, `x-${prefix}-${name}`)
      if (value !== undefined) return value
    }
    return undefined
  }

  #child(value: unknown): SchemaNode | undefined {
    return isObject(value) ? readSchema(value, this.#options) : undefined
  }

  get type(): string {
    return this.#text('type')
  }

  get format(): string {
    return this.#text('format')
  }

  get nullable(): boolean {
    return own(this.#json, 'nullable') === true
  }

  get intOrString(): boolean {
    const isOfFormat = this.format === 'int-or-string' && this.#options.structural !== true
    return isOfFormat || this.#extension('int-or-string') === true
  }

  get embeddedResource(): boolean {
    return this.#extension('embedded-resource') === true
  }

  get preserveUnknownFields(): boolean {
    return this.#extension('preserve-unknown-fields') === true
  }

  get listType(): string {
    return String(this.#extension('list-type') ?? 'atomic')
  }

  get listMapKeys(): readonly string[] {
    return strings(this.#extension('list-map-keys'))
  }

  get mapType(): string {
    return String(this.#extension('map-type') ?? 'granular')
  }

  get maxLength(): number | undefined {
    return this.#limit('maxLength')
  }

  get maxItems(): number | undefined {
    return this.#limit('maxItems')
  }

  get maxProperties(): number | undefined {
    return this.#limit('maxProperties')
  }

  get enum(): readonly unknown[] | undefined {
    const value = own(this.#json, 'enum')
    return Array.isArray(value) && value.length > 0 ? value : undefined
  }

  get hasDefault(): boolean {
    return own(this.#json, 'default') !== undefined
  }

  get required(): ReadonlySet<string> {
    return new Set(strings(own(this.#json, 'required')))
  }

  get validations(): readonly ValidationRule[] {
    const value = this.#extension('validations')
    return Array.isArray(value) ? value.filter(isObject).map(ruleOf) : []
  }

  get hasNoRules(): boolean {
    return this.#options.mayHaveRules?.(this.#json) === false
  }

  get properties(): ReadonlyMap<string, SchemaNode> | undefined {
    const value = own(this.#json, 'properties')
    if (!isObject(value)) return undefined
    this.#properties ??= new Map(
      Object.entries(value).flatMap(([name, child]) => {
        const node = this.#child(child)
        return node === undefined ? [] : [[name, node]]
      }),
    )
    return this.#properties
  }

  get additionalProperties(): SchemaNode | undefined {
    this.#additional ??= this.#child(own(this.#json, 'additionalProperties'))
    return this.#additional
  }

  get allowsAnyField(): boolean {
    return typeof own(this.#json, 'additionalProperties') === 'boolean'
  }

  get items(): SchemaNode | undefined {
    this.#items ??= this.#child(own(this.#json, 'items'))
    return this.#items
  }
}

/** Members that are no strings are dropped, like members of a wrong type elsewhere. */
function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

/**
 * The rule in a JSON object, without members of a wrong type. An object that is a rule already is returned itself, so
 * that problems refer to it.
 */
function ruleOf(json: JsonObject): ValidationRule {
  const text = (key: string) => {
    const value = own(json, key)
    return typeof value === 'string' ? { [key]: value } : {}
  }
  const optional = own(json, 'optionalOldSelf')
  const rule: ValidationRule = {
    ...text('message'),
    ...text('messageExpression'),
    ...text('reason'),
    ...text('fieldPath'),
    ...(typeof optional === 'boolean' ? { optionalOldSelf: optional } : {}),
    rule: String(own(json, 'rule') ?? ''),
  }
  const said = Object.keys(json)
  const same = said.length === Object.keys(rule).length && typeof json.rule === 'string'
  return same ? (json as unknown as ValidationRule) : rule
}
