/** Types and demands of fields, as cells of a reference page. */
import type {
  Expression,
  Field,
  NumberBounds,
  StringBounds,
  Type,
} from '../../schema/named-type.ts'
import type { Model } from '../model/model.ts'
import { code, plain } from './markdown.ts'

/**
 * The type as a link to its description; `from` is the page on which it is written.
 * A struct, enum, scalar or union of this tree is a link, `list of
 * [Container](core-v1-pod.md#container)`; within one page only the anchor stands.
 */
export function typeText(type: Type, from: string, model: Model): string {
  switch (type.is) {
    case 'list':
      return `list of ${typeText(type.items, from, model)}`
    case 'map':
      return `map of ${typeText(type.values, from, model)}`
    case 'ref':
      return link(type.to, from, model)
    case 'integer':
      return type.format
    default:
      return type.is
  }
}

/** Types of another tree are not described here: their names stand without a link. */
function link(id: string, from: string, model: Model): string {
  const { name, external } = model.type(id)
  if (external !== undefined) return name
  const page = model.pageOf(id)
  return `[${name}](${page === from ? '' : page}#${name.toLowerCase()})`
}

/**
 * What a field demands, as short sentences: required, default, bounds, keys, gate, release.
 * Their order is fixed, and the same for every field: what is required comes first, the release
 * last.
 */
export function rulesOf(field: Field): readonly string[] {
  const { required, list, keys, featureGate, since, type } = field
  return [
    ...(required ? ['**Required.**'] : []),
    ...(field.default === undefined ? [] : [`Default ${code(JSON.stringify(field.default))}.`]),
    ...(type.is === 'string' ? stringRules(type.bounds) : []),
    ...(type.is === 'integer' || type.is === 'number' ? numberRules(type.bounds) : []),
    ...(type.is === 'list' ? itemRules(type.minItems, type.maxItems) : []),
    ...(list === 'map' ? [`Items are told apart by ${(keys ?? []).map(code).join(', ')}.`] : []),
    ...(list === 'set' ? ['No item stands twice.'] : []),
    ...(type.rules ?? []).map(ruleText),
    ...(featureGate === undefined ? [] : [`Needs the gate ${code(featureGate)}.`]),
    ...(since === undefined ? [] : [`Since ${since}.`]),
  ]
}

/**
 * A rule in the expression language: its message, or the rule itself.
 * Messages are prose and escaped as such; an expression stands as code.
 */
export function ruleText({ rule, message }: Expression): string {
  return message === undefined ? `Rule: ${code(rule)}.` : `Rule: ${plain(message)}.`
}

/** Values that are listed come first, then the length and the pattern. */
function stringRules({ values, minLength, maxLength, pattern }: StringBounds): readonly string[] {
  return [
    ...(values === undefined ? [] : [`One of ${values.map(code).join(', ')}.`]),
    ...range('characters', minLength, maxLength),
    ...(pattern === undefined ? [] : [`Matches ${code(pattern)}.`]),
  ]
}

/** The range of a number as a sentence; nothing if it has none. */
export function numberRules(bounds: NumberBounds): readonly string[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = bounds
  const words = [
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(exclusiveMinimum === undefined ? [] : [`more than ${exclusiveMinimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`]),
    ...(exclusiveMaximum === undefined ? [] : [`less than ${exclusiveMaximum}`]),
  ]
  return words.length === 0 ? [] : [`${capital(words.join(', '))}.`]
}

function itemRules(minimum?: number, maximum?: number): readonly string[] {
  return range('items', minimum, maximum)
}

/** `At most 63 characters.`, `At least 1 items.` or `1 to 8 items.`; bounds are inclusive. */
function range(unit: string, least?: number, most?: number): readonly string[] {
  if (least === undefined && most === undefined) return []
  if (least === undefined) return [`At most ${most} ${unit}.`]
  return [most === undefined ? `At least ${least} ${unit}.` : `${least} to ${most} ${unit}.`]
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
