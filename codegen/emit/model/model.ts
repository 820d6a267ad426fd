/** The IR with its names looked up: what every emitter asks of it, and all that it asks. */
import { firstFieldsRead } from '../../../runtime/cel/cel.ts'
import type { Subresource } from '../../../runtime/kernel/descriptors/kind.ts'
import { invariant } from '../../../runtime/kernel/errors/invariant.ts'
import { apiVersionOf } from '../../../runtime/kernel/meta/object.ts'
import { once } from '../../once.ts'
import type { Api, Expression, KindFacts, NamedType, StructType, Type } from '../../schema/ir.ts'
import { type RuleSchemaSet, ruleSchemasOf } from '../../schema/rules/rule-schemas.ts'
import { versionKey } from '../code/names.ts'
import { filePageName, mostOnPage, pageName } from '../docs/paths.ts'
import { checkedStructs } from '../types/checks.ts'
import { gatedStructs } from '../types/gated-fields.ts'
import { mergingStructs } from '../types/merge.ts'
import { jsonOnly } from './json-only.ts'
import { referencesOf } from './references.ts'

/** Every answer is data, and follows from the IR alone: what was asked says what an artefact depends on. */
export interface Model {
  readonly api: Api
  /** Types and kinds that this tree generates itself. */
  readonly types: readonly NamedType[]
  readonly kinds: readonly KindFacts[]
  /** What rules need to know of the types. */
  readonly rules: RuleSchemaSet
  /** The name of the schema that a type's rules stand in; undefined if it has none, itself or further down. */
  ruleName(id: string): string | undefined
  type(id: string): NamedType
  /** The types that a schema file, or a package, generates: kinds first, then by name. */
  typesIn(home: 'file' | 'package', name: string): readonly NamedType[]
  /** The kinds of a group version by the key of its document (`apis/apps/v1`), or of a package. */
  kindsIn(home: 'version' | 'package', name: string): readonly KindFacts[]
  /** A type of the machinery. */
  metaType(name: string): NamedType | undefined
  /** The kind whose root a struct is. Roots without one (Status, DeleteOptions) are the machinery's own. */
  kindOf(struct: Pick<StructType, 'id'>): KindFacts | undefined
  /** The same kind in another group version. */
  version(kind: Pick<KindFacts, 'kind'>, apiVersion: string): KindFacts
  /** The kind of a subresource's body, if the tree knows it. */
  bodyOf(sub: Pick<Subresource, 'kind' | 'apiVersion'>): KindFacts | undefined
  /** The struct that a type is or refers to. */
  struct(type: Type): StructType | undefined
  /** True for a struct that merges otherwise than by default. */
  isMerging(id: string): boolean
  /** True for a struct that has fields which gates switch, itself or further down. */
  isGated(id: string): boolean
  /** True for a struct that has checks, itself or further down. */
  isChecked(id: string): boolean
  /** True for a type that has a protobuf form. */
  isMessage(id: string): boolean
  /** The reference page that describes a type. */
  pageOf(id: string): string
}

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
  const packageOf = (kind: KindFacts) => typeOf(kind.type).package
  const homes = once(() => {
    const sorted = [...types].sort((a, b) => rank(a, kindOf) - rank(b, kindOf) || compare(a, b))
    return {
      file: grouped(sorted, ({ at }) => at.file),
      package: grouped(sorted, (type) => type.package),
    }
  })
  const families = once(() => ({
    version: grouped(kinds, versionKey),
    package: grouped(kinds, packageOf),
  }))
  const merging = once(() => mergingStructs(model))
  const gated = once(() => gatedStructs(model))
  const checked = once(() => checkedStructs(model))
  const without = once(() => jsonOnly(model))
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
    typesIn: (home, name) => homes()[home].get(name) ?? [],
    kindsIn: (home, name) => families()[home].get(name) ?? [],
    metaType: (name) =>
      api.types.find((type) => type.name === name && type.group.startsWith('meta.')),
    kindOf,
    version({ kind }, apiVersion) {
      const found = api.kinds.find(
        (each) => each.kind === kind && apiVersionOf(each) === apiVersion,
      )
      invariant(found, `lint leaves no unknown version: ${kind} of ${apiVersion}`)
      return found
    },
    bodyOf: ({ kind, apiVersion }) =>
      [...roots.values()].find((one) => one.kind === kind && apiVersionOf(one) === apiVersion),
    struct: (type) => structOf(type, typeOf),
    isMerging: (id) => merging().has(id),
    isGated: (id) => gated().has(id),
    isChecked: (id) => checked().has(id),
    isMessage: (id) => !without().has(id),
    pageOf(id) {
      const type = typeOf(id)
      const many = model.typesIn('package', type.package).length > mostOnPage
      return many ? filePageName(type) : pageName(type.package)
    },
  }
  return model
}

/** The struct that a type is or refers to. */
export function structOf(type: Type, typeOf: Model['type']): StructType | undefined {
  const named = type.is === 'ref' ? typeOf(type.to) : undefined
  return named?.is === 'struct' ? named : undefined
}

/** The fields that a rule needs of the struct beside which it stands, where it names each of them. */
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

function rank(type: NamedType, kindOf: Model['kindOf']): number {
  if (type.is !== 'struct') return 2
  return kindOf(type) === undefined ? 1 : 0
}

function compare(a: NamedType, b: NamedType): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
}

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

/** Every type reachable from `roots`, sorted by id. */
export function closureOf(model: Model, roots: readonly string[]): readonly NamedType[] {
  const seen = new Set<string>()
  const visit = (id: string): void => {
    if (seen.has(id)) return
    seen.add(id)
    referencesOf(model.type(id)).forEach(visit)
  }
  roots.forEach(visit)
  return [...seen].sort().map((id) => model.type(id))
}
