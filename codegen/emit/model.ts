/** The IR with its names looked up: what every emitter asks of it. */
import { firstFieldsRead } from '../../runtime/cel/cel.ts'
import { invariant } from '../../runtime/kernel/invariant.ts'
import type { Subresource } from '../../runtime/kernel/kind.ts'
import { apiVersionOf } from '../../runtime/kernel/object.ts'
import type {
  Api,
  Expression,
  Field,
  KindFacts,
  NamedType,
  StructType,
  Type,
} from '../schema/ir.ts'
import { type RuleSchemaSet, ruleSchemasOf } from '../schema/rule-schemas.ts'

export interface Model {
  readonly api: Api
  /** Types and kinds that this tree generates itself. */
  readonly types: readonly NamedType[]
  readonly kinds: readonly KindFacts[]
  /** What rules need to know of the types. */
  readonly rules: RuleSchemaSet
  type(id: string): NamedType
  /** The kind whose root a struct is. Roots without one (Status, DeleteOptions) are the machinery's own. */
  kindOf(struct: StructType): KindFacts | undefined
  /** The same kind in another group version. */
  version(kind: KindFacts, apiVersion: string): KindFacts
  /** The kind of a subresource's body, if the tree knows it. */
  bodyOf(sub: Pick<Subresource, 'kind' | 'apiVersion'>): KindFacts | undefined
  /** The struct that a type is or refers to. */
  struct(type: Type): StructType | undefined
}

export function modelOf(api: Api): Model {
  const types = new Map(api.types.map((type) => [type.id, type]))
  const roots = new Map([...api.kinds, ...api.bodies].map((kind) => [kind.type, kind]))
  const typeOf = (id: string): NamedType => {
    const type = types.get(id)
    invariant(type, `lint leaves no dangling reference: ${id}`)
    return type
  }
  return {
    api,
    types: api.types.filter((type) => type.external === undefined),
    kinds: api.kinds.filter((kind) => !kind.external),
    rules: ruleSchemasOf(api.types, looksAt),
    type: typeOf,
    kindOf: (struct) => roots.get(struct.id),
    version({ kind }, apiVersion) {
      const found = api.kinds.find(
        (each) => each.kind === kind && apiVersionOf(each) === apiVersion,
      )
      invariant(found, `lint leaves no unknown version: ${kind} of ${apiVersion}`)
      return found
    },
    bodyOf: ({ kind, apiVersion }) =>
      [...roots.values()].find((one) => one.kind === kind && apiVersionOf(one) === apiVersion),
    struct(type) {
      const named = type.is === 'ref' ? typeOf(type.to) : undefined
      return named?.is === 'struct' ? named : undefined
    },
  }
}

/** The fields that a rule needs of the struct beside which it stands, where it names each of them. */
function looksAt({
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

/** The types that another one refers to by its fields, in order and without repetition. */
export function referencesOf(type: NamedType): readonly string[] {
  if (type.is !== 'struct') return []
  return [...new Set(type.fields.flatMap((field: Field) => refsOf(field.type)))]
}

function refsOf(type: Type): readonly string[] {
  if (type.is === 'list') return refsOf(type.items)
  if (type.is === 'map') return refsOf(type.values)
  return type.is === 'ref' ? [type.to] : []
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
