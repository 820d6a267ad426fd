/** Rule 1 about types: a walk through the types of two trees, from the root of a kind down. */
import type { FeatureFacts } from '../schema/ir.ts'
import type {
  EnumType,
  Field,
  NamedType,
  StructType,
  Type,
  UnionType,
} from '../schema/named-type.ts'
import type { Position } from '../schema/position.ts'
import { tighterBounds } from './bounds.ts'
import type { ApiPair, ReportBreakingChange } from './breaking-change.ts'
import { tightened } from './constraints.ts'
import { checkField } from './fields.ts'
import { missing, typesOf } from './resources.ts'

/** Rules stand on named types and, beside a reference, on the use of one. */
type WithRules = Pick<Type, 'rules'>

/** Compares the types with the given ids; `name` names the root in messages. */
export type CompareTypes = (before: string, after: string, name: string) => void

/** What is compared: its name in messages, and its position in both trees. */
export interface ComparedPosition {
  readonly name: string
  readonly before: Position
  readonly after: Position
}

/**
 * Compares each pair of types once, under the name by which it was first reached. Types that another tree generates are
 * not compared: that tree answers for them.
 */
export function typeComparer(pair: ApiPair, report: ReportBreakingChange): CompareTypes {
  const comparison = new TypeComparison(pair, report)
  return (before, after, name) => comparison.named(before, after, name)
}

/** One comparison of two trees. Each method takes what was before, what is after, and where that is. */
class TypeComparison {
  readonly #before: ReadonlyMap<string, NamedType>
  readonly #after: ReadonlyMap<string, NamedType>
  readonly #gates: ReadonlyMap<string, FeatureFacts>
  readonly #report: ReportBreakingChange
  readonly #seen = new Set<string>()

  constructor({ before, after }: ApiPair, report: ReportBreakingChange) {
    this.#before = typesOf(before)
    this.#after = typesOf(after)
    this.#gates = new Map(after.features.map((feature) => [feature.gate, feature]))
    this.#report = report
  }

  /** Types by their ids: once for each pair, and not those that another tree generates. */
  named(from: string, to: string, name: string): void {
    const [before, after] = [this.#before.get(from), this.#after.get(to)]
    const pair = `${from} ${to}`
    if (before === undefined || after === undefined || this.#seen.has(pair)) return
    this.#seen.add(pair)
    if (after.external === undefined) this.#namedTypes(before, after, name)
  }

  #namedTypes(before: NamedType, after: NamedType, name: string): void {
    const position = { name, before: before.at, after: after.at }
    this.#rules(before, after, position)
    if (before.is === 'struct' && after.is === 'struct') this.#structs(before, after, position)
    else if (before.is === 'enum' && after.is === 'enum') this.#enums(before, after, position)
    else if (before.is === 'union' && after.is === 'union') this.#unions(before, after, position)
    else if (withoutDescription(before) !== withoutDescription(after)) {
      this.#broken(position, `changes its type from ${before.name} to ${after.name}`)
    }
  }

  /** Fields stay, new ones are not required, and unknown fields are kept where they were kept. */
  #structs(before: StructType, after: StructType, position: ComparedPosition): void {
    const now = fieldsByName(after)
    for (const field of before.fields) this.#field(field, now.get(field.name), after, position)
    this.#newFields(before, after, position)
    if (before.preserveUnknown && !after.preserveUnknown) {
      this.#broken(position, 'keeps unknown fields no more')
    }
    this.#constraints(before, after, position)
  }

  /** A field that is gone is reported at the struct that held it. */
  #field(
    before: Field,
    after: Field | undefined,
    { at }: StructType,
    struct: ComparedPosition,
  ): void {
    const name = `${struct.name} ${before.name}`
    if (after === undefined) {
      this.#broken({ name, before: before.at, after: at }, 'is gone')
      return
    }
    const position = { name, before: before.at, after: after.at }
    checkField(before, after, this.#gates, (message) => this.#broken(position, message))
    this.#types(before.type, after.type, position)
  }

  /** A new field that is required makes stored objects invalid; one whose zero value is implied does not. */
  #newFields(before: StructType, after: StructType, { name }: ComparedPosition): void {
    const known = fieldsByName(before)
    for (const field of after.fields.filter((each) => !known.has(each.name))) {
      if (!field.required || field.default !== undefined || field.zero !== 'tracked') continue
      const position = { name: `${name} ${field.name}`, before: before.at, after: field.at }
      this.#broken(position, 'is new and required: objects that are there do not have it')
    }
  }

  /** A path counts as known by its first step: what is inside a field that was there may be new. */
  #constraints(before: StructType, after: StructType, position: ComparedPosition): void {
    const known = (path: string): boolean =>
      before.fields.some(({ name }) => name === path || path.startsWith(`${name}.`))
    const added = tightened(before.constraints ?? [], after.constraints ?? [], known)
    for (const { is, field } of added) {
      this.#broken(position, `has a new constraint "${is}" on ${field}`)
    }
  }

  /** Listed values are promises, and of an open set, that others are accepted. */
  #enums(before: EnumType, after: EnumType, position: ComparedPosition): void {
    if (!before.closed && after.closed) this.#broken(position, 'accepts listed values only')
    for (const value of missing(before.values, after.values)) {
      this.#broken(position, `loses the value "${value}"`)
    }
  }

  /** Members are matched by their order: a union tells them apart by their JSON types. */
  #unions(before: UnionType, after: UnionType, position: ComparedPosition): void {
    if (before.members.length > after.members.length) {
      this.#broken(position, 'may be of fewer types')
    }
    for (const [index, member] of before.members.entries()) {
      const now = after.members[index]
      if (now !== undefined) this.#types(member.type, now.type, position)
    }
  }

  /** Types where they are used: by reference, by item and by value, then their bounds and rules. */
  #types(before: Type, after: Type, position: ComparedPosition): void {
    const { name } = position
    if (before.is === 'ref' && after.is === 'ref') this.#references(before.to, after.to, position)
    else if (before.is === 'list' && after.is === 'list') {
      this.#types(before.items, after.items, { ...position, name: `${name}[*]` })
    } else if (before.is === 'map' && after.is === 'map') {
      this.#types(before.values, after.values, { ...position, name: `${name}.*` })
    } else if (printType(before) !== printType(after)) {
      this.#broken(position, `changes its type from ${printType(before)} to ${printType(after)}`)
    }
    for (const change of tighterBounds(before, after)) this.#broken(position, change)
    this.#rules(before, after, position)
  }

  /** A reference may lead to a type of another name, as long as it is one of the same sort. */
  #references(before: string, after: string, position: ComparedPosition): void {
    const [from, to] = [this.#before.get(before), this.#after.get(after)]
    if (from?.is === to?.is) this.named(before, after, position.name)
    else this.#broken(position, `changes its type from ${from?.name} to ${to?.name}`)
  }

  /** A rule whose text is new may refuse what was valid. */
  #rules(before: WithRules, after: WithRules, position: ComparedPosition): void {
    const known = new Set(before.rules?.map(({ rule }) => rule))
    for (const { rule, at } of after.rules ?? []) {
      if (!known.has(rule)) this.#broken({ ...position, after: at.at }, `has a new rule: ${rule}`)
    }
  }

  #broken({ name, ...positions }: ComparedPosition, message: string): void {
    this.#report({ rule: 'rule-1', message: `${printPath(name)} ${message}`, ...positions })
  }
}

function fieldsByName({ fields }: StructType): ReadonlyMap<string, Field> {
  return new Map(fields.map((field) => [field.name, field]))
}

/** `apps/v1 Deployment spec.replicas` of steps that are joined by blanks on the way down. */
function printPath(name: string): string {
  const [version = '', kind = '', ...steps] = name.split(' ')
  return [version, kind, ...(steps.length === 0 ? [] : [steps.join('.')])].join(' ')
}

/** The type as a schema names it, without bounds and without what it refers to. */
export function printType(type: Type): string {
  switch (type.is) {
    case 'integer':
      return type.format
    case 'string':
      return type.format === undefined ? 'string' : `string (${type.format})`
    case 'ref':
      return type.to
    default:
      return type.is
  }
}

/** What a named type says, without its position, name, description and rules. */
function withoutDescription(type: NamedType): string {
  const {
    at: _,
    description: __,
    id: ___,
    name: ____,
    package: _____,
    rules: ______,
    ...rest
  } = type
  return JSON.stringify(rest, (key, value: unknown) => (key === 'at' ? undefined : value))
}
