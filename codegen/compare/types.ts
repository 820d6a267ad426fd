/** Rule 1 about fields: a walk through the types of two trees, from the root of a kind down. */
import type { EnumType, NamedType, Position, StructType, Type, UnionType } from '../schema/ir.ts'
import { tighterBounds } from './bounds.ts'
import type { ApiPair, ReportBreakingChange } from './breaking-change.ts'
import { tightened } from './constraints.ts'
import { checkField } from './fields.ts'
import { missing, typesOf } from './resources.ts'

type WithRules = Pick<Type, 'rules'>

/** Compares the types with the given ids, which `name` is the root of. */
export type CompareTypes = (before: string, after: string, name: string) => void

/** Where a comparison is: what it looks at, as messages name it, and its place on both sides. */
export interface ComparedPosition {
  readonly name: string
  readonly before: Position
  readonly after: Position
}

/**
 * A walk that looks at each pair of types once, under the name by which it came there first. Types of another tree are the
 * same on both sides.
 */
export function typeComparer(pair: ApiPair, tell: ReportBreakingChange): CompareTypes {
  const [before, after] = [typesOf(pair.before), typesOf(pair.after)]
  const seen = new Set<string>()
  const gates = new Map(pair.after.features.map((feature) => [feature.gate, feature]))

  const named = (from: string, to: string, name: string): void => {
    const [was, is] = [before.get(from), after.get(to)]
    if (was === undefined || is === undefined || seen.has(`${from} ${to}`)) return
    seen.add(`${from} ${to}`)
    if (is.external === undefined) checkNamed(was, is, name)
  }
  const checkNamed = (was: NamedType, is: NamedType, name: string): void => {
    const spot = { name, before: was.at, after: is.at }
    checkRules(was, is, spot)
    if (was.is === 'struct' && is.is === 'struct') checkStruct(was, is, spot)
    else if (was.is === 'enum' && is.is === 'enum') checkEnum(was, is, spot, tell)
    else if (was.is === 'union' && is.is === 'union') checkUnion(was, is, spot)
    else if (withoutDescription(was) !== withoutDescription(is)) {
      say(spot, `changes its type from ${was.name} to ${is.name}`)
    }
  }
  const checkUnion = (was: UnionType, is: UnionType, spot: ComparedPosition): void => {
    if (was.members.length > is.members.length) say(spot, 'may be of fewer types')
    was.members.forEach((member, index) => {
      const now = is.members[index]
      if (now !== undefined) type(member.type, now.type, spot)
    })
  }
  const checkStruct = (was: StructType, is: StructType, spot: ComparedPosition): void => {
    for (const field of was.fields) {
      const name = `${spot.name} ${field.name}`
      const now = is.fields.find((each) => each.name === field.name)
      if (now === undefined) {
        tell({
          rule: 'rule-1',
          message: `${printPath(name)} is gone`,
          before: field.at,
          after: is.at,
        })
        continue
      }
      checkField(
        field,
        now,
        { name: printPath(name), before: field.at, after: now.at },
        gates,
        tell,
      )
      type(field.type, now.type, { name, before: field.at, after: now.at })
    }
    for (const field of is.fields.filter(
      ({ name }) => !was.fields.some((each) => each.name === name),
    )) {
      if (!field.required || field.default !== undefined || field.zero !== 'tracked') continue
      const name = printPath(`${spot.name} ${field.name}`)
      const message = `${name} is new and required: objects that are there do not have it`
      tell({ rule: 'rule-1', message, before: was.at, after: field.at })
    }
    if (was.preserveUnknown && !is.preserveUnknown) say(spot, 'keeps unknown fields no more')
    const known = (path: string) =>
      was.fields.some(({ name }) => name === path || path.startsWith(`${name}.`))
    for (const one of tightened(was.constraints ?? [], is.constraints ?? [], known)) {
      say(spot, `has a new constraint "${one.is}" on ${one.field}`)
    }
  }
  const type = (was: Type, is: Type, spot: ComparedPosition): void => {
    if (was.is === 'ref' && is.is === 'ref') {
      const [from, to] = [before.get(was.to), after.get(is.to)]
      if (from?.is === to?.is) named(was.to, is.to, spot.name)
      else say(spot, `changes its type from ${from?.name} to ${to?.name}`)
    } else if (was.is === 'list' && is.is === 'list') {
      type(was.items, is.items, { ...spot, name: `${spot.name}[*]` })
    } else if (was.is === 'map' && is.is === 'map') {
      type(was.values, is.values, { ...spot, name: `${spot.name}.*` })
    } else if (printType(was) !== printType(is)) {
      say(spot, `changes its type from ${printType(was)} to ${printType(is)}`)
    }
    for (const tighter of tighterBounds(was, is)) say(spot, tighter)
    checkRules(was, is, spot)
  }
  const checkRules = (
    { rules: were = [] }: WithRules,
    { rules = [] }: WithRules,
    spot: ComparedPosition,
  ): void => {
    const known = new Set(were.map(({ rule }) => rule))
    for (const { rule, at } of rules) {
      if (!known.has(rule)) say({ ...spot, after: at.at }, `has a new rule: ${rule}`)
    }
  }
  const say = ({ name, ...at }: ComparedPosition, message: string): void =>
    tell({ rule: 'rule-1', message: `${printPath(name)} ${message}`, ...at })

  return named
}

/** Listed values are promises, and of an open set, that others are accepted. */
function checkEnum(
  was: EnumType,
  is: EnumType,
  { name, ...at }: ComparedPosition,
  tell: ReportBreakingChange,
): void {
  const say = (message: string) =>
    tell({ rule: 'rule-1', message: `${printPath(name)} ${message}`, ...at })
  if (!was.closed && is.closed) say('accepts listed values only')
  for (const value of missing(was.values, is.values)) say(`loses the value "${value}"`)
}

/** `apps/v1 Deployment spec.replicas` of steps after the kind that are joined by blanks on the way down. */
function printPath(name: string): string {
  const [version = '', kind = '', ...steps] = name.split(' ')
  return [version, kind, ...(steps.length === 0 ? [] : [steps.join('.')])].join(' ')
}

/** The type as a schema names it; bounds and what it refers to aside. */
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

/** What a named type says, without where it says it and what it says about itself. */
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
