/** Emits kind descriptors. */
import type { VariableStatementStructure } from 'ts-morph'
import type { DeclaredConditions } from '../../../runtime/kernel/descriptors/declared-conditions.ts'
import type { Column, Subresource } from '../../../runtime/kernel/descriptors/kind.ts'
import { apiVersionOf } from '../../../runtime/kernel/meta/object.ts'
import type { ConversionFacts, KindFacts } from '../../schema/ir.ts'
import type { StructType, Type } from '../../schema/named-type.ts'
import type { Imports } from '../code/imports.ts'
import { code, literal } from '../code/literal.ts'
import { checksName, conversionName, gatedName, kindName, mergeName } from '../code/names.ts'
import { constDeclaration, structure } from '../code/structures.ts'
import type { Model } from '../model/model.ts'
import { zeroOf } from '../model/zeros.ts'
import { messageOf } from '../scheme/protobuf.ts'
import { ruleTableOf } from '../scheme/validation-rules.ts'

/**
 * The `defineKind` call of a kind.
 *   export const configMaps = defineKind<ConfigMap>({
 */
export function kindStatement(
  kind: KindFacts,
  model: Model,
  imports: Imports,
): VariableStatementStructure {
  const struct = model.type(kind.type) as StructType
  const facts = {
    ...factsOf(kind),
    ...selectableZeros(kind, struct, model),
    subresources: kind.subresources.map((sub) => subresourceOf(sub, kind, model, imports)),
    ...(kind.capabilities !== undefined && { capabilities: kind.capabilities }),
    ...(kind.forwardsTo !== undefined && { forwardsTo: kind.forwardsTo }),
    ...(kind.review !== undefined && { review: kind.review }),
    ...(kind.allocator !== undefined && { allocator: kind.allocator }),
    ...(kind.ttlSeconds !== undefined && { ttlSeconds: kind.ttlSeconds }),
    ...(kind.hashedAs !== undefined && { hashedAs: kind.hashedAs }),
    ...(kind.since !== undefined && { since: kind.since }),
    ...(kind.storedAs !== undefined && {
      storageVersion: storageOf(kind, kind.storedAs, model, imports),
    }),
    conditions: conditionsOf(struct, model),
    validations: ruleTableOf(struct, model, imports),
    merge: model.isMerging(struct.id) ? code(imports.value(struct, mergeName(struct))) : {},
    ...(model.isGated(struct.id) && {
      gatedFields: code(imports.value(struct, gatedName(struct))),
    }),
    ...(model.isChecked(struct.id) && { checks: code(imports.value(struct, checksName(struct))) }),
    read: code(imports.reader(struct)),
    proto: messageOf(kind, model),
  }
  const isScalable = kind.subresources.some(({ name }) => name === 'scale')
  const defining = isScalable ? 'defineScalableKind' : 'defineKind'
  return {
    kind: structure.variable,
    isExported: true,
    declarationKind: constDeclaration,
    docs: [`What the platform knows of the kind ${kind.kind}.`],
    declarations: [
      {
        name: kindName(kind),
        initializer: `${imports.kernel('descriptors/kind', defining)}<${struct.name}>(${literal(facts)})`,
      },
    ],
  }
}

/** The constant with the steps by which a kind converts from the older version that it names. */
export function conversionStatement(
  kind: KindFacts,
  { from, steps }: ConversionFacts,
  imports: Imports,
): VariableStatementStructure {
  return {
    kind: structure.variable,
    isExported: true,
    declarationKind: constDeclaration,
    docs: [`How a ${kind.kind} of ${from} becomes one of ${apiVersionOf(kind)}, and back.`],
    declarations: [
      {
        name: conversionName(kind),
        type: imports.kernel('descriptors/conversion', 'Conversion', true),
        initializer: literal(steps),
      },
    ],
  }
}

/**
 * Where the objects of a version are stored that is not stored itself: the newer of the two versions declares the
 * conversion.
 */
function storageOf(kind: KindFacts, storedAs: string, model: Model, imports: Imports) {
  const stored = model.version(kind, storedAs)
  const newer = kind.conversion?.from === storedAs
  const declaring = newer ? kind : stored
  return {
    kind: code(imports.value(model.type(stored.type), kindName(stored))),
    conversion: code(imports.value(model.type(declaring.type), conversionName(declaring))),
    side: newer ? 'newer' : 'older',
  }
}

/** The facts that stand in a descriptor as they are in the schema. */
function factsOf(kind: KindFacts) {
  return {
    group: kind.group,
    version: kind.version,
    kind: kind.kind,
    listKind: `${kind.kind}List`,
    plural: kind.plural,
    singular: kind.singular,
    shortNames: kind.shortNames,
    categories: kind.categories,
    scope: kind.scope,
    verbs: kind.verbs,
    subresources: kind.subresources,
    nameFormat: kind.nameFormat,
    createOnUpdate: kind.createOnUpdate,
    unconditionalUpdate: kind.unconditionalUpdate,
    deleteReturns: kind.deleteReturns,
    generation: kind.generation,
    generationCounts: kind.generationCounts,
    statusOnCreate: kind.statusOnCreate,
    anyFinalizer: kind.anyFinalizer,
    dependents: kind.dependents,
    deleteWarning: kind.deleteWarning,
    deprecated: kind.deprecated,
    columns: kind.columns.map(columnOf),
    selectableFields: kind.selectableFields,
    strategies: kind.strategies,
    ...(kind.immutable && { immutable: kind.immutable }),
    passes: kind.passes,
    applyReset: kind.applyReset,
  }
}

/** What the schema declares of the conditions in the status. */
function conditionsOf(struct: StructType, model: Model): DeclaredConditions | undefined {
  const list = typeAt(['status', 'conditions'], struct, model)
  return list?.is === 'list' ? model.struct(list.items)?.conditions : undefined
}

/** What a selectable number or boolean is where it is absent. */
function selectableZeros(
  { selectableFields }: KindFacts,
  struct: StructType,
  model: Model,
): { readonly selectableZeros?: Readonly<Record<string, string>> } {
  const zeros = Object.entries(selectableFields).flatMap(([name, path]) => {
    const type = typeAt(path.split('.'), struct, model)
    const scalar = type?.is === 'integer' || type?.is === 'number' || type?.is === 'boolean'
    return scalar ? [[name, String(zeroOf(type, model))]] : []
  })
  return zeros.length === 0 ? {} : { selectableZeros: Object.fromEntries(zeros) }
}

/** The type of the field that a path leads to; undefined if it leads through anything but structs. */
function typeAt(
  [step, ...rest]: readonly string[],
  struct: StructType | undefined,
  model: Model,
): Type | undefined {
  const type = struct?.fields.find(({ name }) => name === step)?.type
  return type === undefined || rest.length === 0 ? type : typeAt(rest, model.struct(type), model)
}

/** A subresource, with the descriptor of its body if that is another kind's. */
function subresourceOf(sub: Subresource, kind: KindFacts, model: Model, imports: Imports): object {
  const body = model.bodyOf(sub)
  if (body === undefined || body.type === kind.type) return sub
  const name = imports.value(model.type(body.type), kindName(body))
  return { ...sub, body: code(`() => ${name}`) }
}

function columnOf({ name, type, format, description, priority, cell, show, absent }: Column) {
  return { name, type, format, description, priority, cell, show, absent }
}
