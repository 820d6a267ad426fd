/** Emits merge facts: one constant for each struct that does not merge by default. */
import type { VariableStatementStructure } from 'ts-morph'
import type { Field, StructType, Type } from '../../schema/named-type.ts'
import type { Imports } from '../code/imports.ts'
import { type Code, code, literal } from '../code/literal.ts'
import { mergeName } from '../code/names.ts'
import { constDeclaration, structure } from '../code/structures.ts'
import type { Model } from '../model/model.ts'
import { leadingTo } from '../model/references.ts'
import { zeroOf } from '../model/zeros.ts'

/** The ids of structs with merge facts, their own or further down. */
export function mergingStructs(model: Model): ReadonlySet<string> {
  const structs = model.api.types.filter((type) => type.is === 'struct')
  const merging = structs.filter((struct) => hasFacts(struct, model)).map(({ id }) => id)
  return leadingTo(merging, structs, ({ fields }) =>
    fields.flatMap((field) => mergedBelow(field, model)?.to ?? []),
  )
}

/** The ids of structs with lists whose items must be told apart, their own or further down. */
export function associativeStructs(model: Model): ReadonlySet<string> {
  const structs = model.api.types.filter((type) => type.is === 'struct')
  const associative = structs.filter(({ fields }) => fields.some(isAssociative))
  return leadingTo(
    associative.map(({ id }) => id),
    structs,
    ({ fields }) => fields.flatMap(({ type }) => below(type)?.to ?? []),
  )
}

function isAssociative({ type, list, patch }: Field): boolean {
  if (type.is !== 'list' || list === 'atomic') return false
  return list !== undefined || patch?.includes('merge') === true
}

/**
 * A default counts only for fields that have parts.
 */
function hasFacts(struct: StructType, model: Model): boolean {
  return (
    struct.mapType === 'atomic' ||
    struct.fields.some((field) => fieldFacts(field, model) !== undefined)
  )
}

/**
 * The constant of a struct.
 * Structs without such a constant merge field by field, and their lists are replaced as a whole.
 *
 *   export const podSpecMerge: MergeStrategy = {
 */
export function mergeStatement(
  struct: StructType,
  model: Model,
  imports: Imports,
): VariableStatementStructure {
  const fields = struct.fields.flatMap((field) => {
    const merge = fieldMerge(field, model, imports)
    return merge === undefined ? [] : [[field.name, merge]]
  })
  const facts = {
    ...(struct.mapType === 'atomic' && { map: 'atomic' }),
    ...(fields.length > 0 && { fields: Object.fromEntries(fields) }),
  }
  return {
    kind: structure.variable,
    isExported: true,
    declarationKind: constDeclaration,
    docs: [`How a ${struct.name} merges.`],
    declarations: [
      {
        name: mergeName(struct),
        type: imports.kernel('descriptors/kind', 'MergeStrategy', true),
        initializer: literal(facts),
      },
    ],
  }
}

/**
 * A reference to what lies below is a function, since types may refer to themselves.
 * Facts of the field win over those of what lies below: they are spread over them.
 */
function fieldMerge(field: Field, model: Model, imports: Imports): unknown {
  const facts = fieldFacts(field, model)
  const down = mergedBelow(field, model)
  const inner =
    down !== undefined && model.isMerging(down.to) ? reference(down.to, model, imports) : undefined
  if (inner === undefined) return facts
  if (field.type.is !== 'ref') return { ...facts, items: thunk(inner) }
  if (facts === undefined) return thunk(inner)
  return code(
    `() => ({ ...${inner}, ${Object.entries(facts)
      .map(([key, fact]) => `${key}: ${literal(fact)}`)
      .join(', ')} })`,
  )
}

function thunk(text: string): Code {
  return code(`() => ${text}`)
}

function reference(id: string, model: Model, imports: Imports): string {
  const type = model.type(id)
  return imports.value(type, mergeName(type as StructType))
}

/** The facts of a field itself; undefined if it merges by default. */
function fieldFacts(field: Field, model: Model): Readonly<Record<string, unknown>> | undefined {
  const defaults = keyDefaults(field, model)
  const facts = {
    ...(field.list !== undefined && { list: field.list }),
    ...(field.keys !== undefined && { keys: field.keys }),
    ...(Object.keys(defaults).length > 0 && { defaults }),
    ...mapFacts(field, model),
    ...(field.default !== undefined && hasParts(field.type, model) && { defaulted: true }),
    ...(field.patch !== undefined && { patch: field.patch }),
    ...(field.patchKey !== undefined && { patchKey: field.patchKey }),
  }
  return Object.keys(facts).length > 0 ? facts : undefined
}

/** How an object in a field merges: as the field says, in place of its type; what has no schema is one value. */
function mapFacts({ map, type }: Field, model: Model): { readonly map?: 'atomic' | 'granular' } {
  if (map === 'atomic' || isRaw(type, model)) return { map: 'atomic' }
  const overridden = map === 'granular' && model.struct(type)?.mapType === 'atomic'
  return overridden || isNestedMap(type, model) ? { map: 'granular' } : {}
}

function isRaw(type: Type, model: Model): boolean {
  const named = type.is === 'ref' ? model.type(type.to) : undefined
  return named?.is === 'scalar' && named.scalar === 'raw-extension'
}

/** The values of the key properties that an item of a map list leaves out: their defaults, or zeros that are written. */
function keyDefaults(field: Field, model: Model): Readonly<Record<string, unknown>> {
  const item = field.type.is === 'list' ? model.struct(field.type.items) : undefined
  const keys = field.keys ?? [field.patchKey]
  const keyed = (item?.fields ?? []).filter(({ name }) => keys.includes(name))
  const known = keyed.filter(
    ({ default: value, zero }) => value !== undefined || !(zero === 'omit' || zero === 'null'),
  )
  return Object.fromEntries(
    known.map(({ name, type, default: value }) => [name, value ?? zeroOf(type, model)]),
  )
}

/** What can be owned in parts: anything else is one value with one owner. */
function hasParts(type: Type, model: Model): boolean {
  return type.is === 'list' || type.is === 'map' || model.struct(type) !== undefined
}

/** True for a map whose values are merged, not replaced. */
function isNestedMap(type: Type, model: Model): boolean {
  if (type.is !== 'map') return false
  return hasParts(type.values, model)
}

/** The reference below a field whose merge matters: of a list that is replaced as a whole only where items within are told apart. */
function mergedBelow(field: Field, model: Model): { readonly to: string } | undefined {
  const down = below(field.type)
  const whole = field.type.is === 'list' && !isAssociative(field)
  return whole && down !== undefined && !model.isAssociative(down.to) ? undefined : down
}

/** Lists of lists lead nowhere: what is inside the inner list never merges. */
function below(type: Type): { readonly to: string } | undefined {
  if (type.is === 'ref') return type
  const item = type.is === 'list' ? type.items : type.is === 'map' ? type.values : undefined
  return item?.is === 'ref' ? item : undefined
}
