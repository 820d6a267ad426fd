/** Looks the names of a representation up. What few emitters need is found on first use. */
import { firstFieldsRead } from '../../../runtime/cel/cel.ts'
import { invariant } from '../../../runtime/kernel/errors/invariant.ts'
import { apiVersionOf } from '../../../runtime/kernel/meta/object.ts'
import type { Api, KindFacts } from '../../schema/ir.ts'
import type { Expression, NamedType, StructType } from '../../schema/named-type.ts'
import { once } from '../../schema/once.ts'
import { ruleSchemasOf } from '../../schema/rules/rule-schemas.ts'
import { versionKey } from '../code/names.ts'
import { filePageName, maxTypesOnPage, pageName } from '../docs/paths.ts'
import { checkedStructs } from '../types/checks.ts'
import { gatedStructs } from '../types/gated-fields.ts'
import { associativeStructs, mergingStructs } from '../types/merge.ts'
import { jsonOnly } from './json-only.ts'
import type { Model } from './model.ts'
import { structOf } from './references.ts'

/**
 * The model of a representation in which lint found nothing wrong.
 * Looking a name up that is not there is a programming error and throws: lint refuses such
 * schemas. The types and kinds of another tree can be looked up, but are not among `types` and
 * `kinds`.
 */
export function modelOf(api: Api): Model {
  const byId = new Map(api.types.map((type) => [type.id, type]))
  const roots = new Map([...api.kinds, ...api.bodies].map((kind) => [kind.type, kind]))
  const types = api.types.filter((type) => type.external === undefined)
  const kinds = api.kinds.filter((kind) => !kind.external)
  const typeOf = (id: string): NamedType => {
    const type = byId.get(id)
    invariant(type, `lint leaves no dangling reference: ${id}`)
    return type
  }
  const kindOf = ({ id }: Pick<StructType, 'id'>) => roots.get(id)
  const typeGroups = once(() => groupTypes(types, kindOf))
  const kindGroups = once(() => groupKinds(kinds, typeOf))
  const rules = once(() => ruleSchemasOf(api.types, fieldsRead))
  const model: Model = {
    api,
    types,
    kinds,
    get rules() {
      return rules()
    },
    ruleName: (id) => (rules().has(id) ? rules().nameOf(id) : undefined),
    type: typeOf,
    typesIn: (home, name) => typeGroups()[home].get(name) ?? [],
    kindsIn: (home, name) => kindGroups()[home].get(name) ?? [],
    metaType: (name) =>
      api.types.find((type) => type.name === name && type.group.startsWith('meta.')),
    kindOf,
    version: (kind, apiVersion) => versionOf(api, kind, apiVersion),
    bodyOf: ({ kind, apiVersion }) =>
      [...roots.values()].find((one) => one.kind === kind && apiVersionOf(one) === apiVersion),
    struct: (type) => structOf(type, typeOf),
    ...structTests(() => model),
    pageOf: (id) => pageOf(typeOf(id), model),
  }
  return model
}

/**
 * What is asked of structs one by one and found for all of them at once.
 * Each is a walk over all structs, which most runs do not need: an incremental run emits few
 * artefacts.
 */
function structTests(
  model: () => Model,
): Pick<Model, 'isMerging' | 'isAssociative' | 'isGated' | 'isChecked' | 'isMessage'> {
  const merging = once(() => mergingStructs(model()))
  const associative = once(() => associativeStructs(model()))
  const gated = once(() => gatedStructs(model()))
  const checked = once(() => checkedStructs(model()))
  const withoutMessage = once(() => jsonOnly(model()))
  return {
    isMerging: (id) => merging().has(id),
    isAssociative: (id) => associative().has(id),
    isGated: (id) => gated().has(id),
    isChecked: (id) => checked().has(id),
    isMessage: (id) => !withoutMessage().has(id),
  }
}

/** By file and by package; of each, kinds come first, then structs, then other types, by name. */
function groupTypes(types: readonly NamedType[], kindOf: Model['kindOf']) {
  const sorted = [...types].sort((a, b) => rank(a, kindOf) - rank(b, kindOf) || compare(a, b))
  return {
    file: grouped(sorted, ({ at }) => at.file),
    package: grouped(sorted, (type) => type.package),
  }
}

/**
 * By the key of their document, and by the package of their type. Both keep the order of
 * `api.kinds`.
 */
function groupKinds(kinds: readonly KindFacts[], typeOf: Model['type']) {
  return {
    version: grouped(kinds, versionKey),
    package: grouped(kinds, ({ type }) => typeOf(type).package),
  }
}

/** The same kind in another group version. */
function versionOf(api: Api, { kind }: Pick<KindFacts, 'kind'>, apiVersion: string): KindFacts {
  const found = api.kinds.find((each) => each.kind === kind && apiVersionOf(each) === apiVersion)
  invariant(found, `lint leaves no unknown version: ${kind} of ${apiVersion}`)
  return found
}

/** Only types of this tree count towards the size of a package. */
function pageOf(type: NamedType, model: Model): string {
  const large = model.typesIn('package', type.package).length > maxTypesOnPage
  return large ? filePageName(type) : pageName(type.package)
}

/**
 * The fields that a rule reads of the struct that it is declared at; undefined if it may read
 * any.
 * The path at which a violation is shown counts as read: it has to exist in the schema. Anything
 * that does not begin with a plain field of `self` or `oldSelf` may read every field.
 */
function fieldsRead({
  rule,
  messageExpression,
  fieldPath,
}: Expression): readonly string[] | undefined {
  const expressions = messageExpression === undefined ? [rule] : [rule, messageExpression]
  const reads = expressions.map((text) => firstFieldsRead(text, ['self', 'oldSelf']))
  const shown = /^\.([^.[]+)/.exec(fieldPath ?? '')?.[1]
  if (reads.some((each) => each === undefined) || (fieldPath && !shown)) return undefined
  return [...reads.flatMap((each) => each ?? []), ...(shown === undefined ? [] : [shown])]
}

/** Kinds, then other structs, then enums, unions and scalars. */
function rank(type: NamedType, kindOf: Model['kindOf']): number {
  if (type.is !== 'struct') return 2
  return kindOf(type) === undefined ? 1 : 0
}

/** By UTF-16 units, not by locale: the order must not depend on the machine. */
function compare(a: NamedType, b: NamedType): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
}

/** Lists by a name, each in the order of `all`. */
function grouped<T>(
  all: readonly T[],
  nameOf: (one: T) => string,
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>()
  for (const one of all) {
    const group = groups.get(nameOf(one))
    if (group === undefined) groups.set(nameOf(one), [one])
    else group.push(one)
  }
  return groups
}
