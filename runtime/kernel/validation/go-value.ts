/** Values as the messages of public servers show them, which is how Go writes them. */
import { quoted } from '../values/quoted.ts'

/** How many characters of a value a message shows. */
const shownLength = 1024

/** A value whose text is known, because its type has a name of its own or nothing in it says what it is. */
export class Shown {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A map of texts. */
export function shownStrings(map: Readonly<Record<string, string>> | undefined): Shown {
  return new Shown(mapOf(map))
}

/** A number or text under the name of its type. */
export function shownIntOrString(value: number | string | undefined): Shown {
  const [type, int, text] = typeof value === 'string' ? [1, 0, value] : [0, value ?? 0, '']
  return new Shown(`intstr.IntOrString{Type:${type}, IntVal:${int}, StrVal:${quoted(text)}}`)
}

/** A list of texts under the name of its type. */
export function shownList(type: string, values: readonly string[] | null | undefined): Shown {
  return new Shown(values ? `[]${type}{${values.map(quoted).join(', ')}}` : `[]${type}(nil)`)
}

/** The text of a value: texts in quotes, lists of them and selectors as literals, what is absent as `"null"`. */
export function goValue(value: unknown): string {
  if (value instanceof Shown) return cut(value.text)
  if (value === null || value === undefined) return '"null"'
  if (typeof value === 'string') return quoted(cut(value))
  if (typeof value !== 'object') return String(value)
  return cut(literalOf(value) ?? json(value))
}

function literalOf(value: object): string | undefined {
  if (Array.isArray(value)) {
    return value.every(isString) ? shownList('string', value).text : undefined
  }
  return Object.keys(value).length > 0 && isSelector(value) ? selectorOf(value) : undefined
}

type Strings = Readonly<Record<string, string>>

function isString(value: unknown): value is string {
  return typeof value === 'string'
}

function mapOf(map: Strings | undefined): string {
  if (map === undefined) return 'map[string]string(nil)'
  const entries = Object.keys(map).sort()
  return `map[string]string{${entries.map((key) => `${quoted(key)}:${quoted(map[key]!)}`).join(', ')}}`
}

interface Selector {
  readonly matchLabels?: Strings | undefined
  readonly matchExpressions?: readonly SelectorRequirement[] | null | undefined
}

interface SelectorRequirement {
  readonly key?: string
  readonly operator?: string
  readonly values?: readonly string[] | null
}

/** True for what has the fields of a selector only, and for what has none. */
export function isSelector(value: unknown): value is Selector {
  if (typeof value !== 'object' || value === null) return false
  return Object.keys(value).every((key) => key === 'matchLabels' || key === 'matchExpressions')
}

/** A selector of labels; `{}` is one where the caller knows it to be. */
function selectorOf({ matchLabels, matchExpressions }: Selector): string {
  const expressions = matchExpressions?.map(
    ({ key = '', operator = '', values }) =>
      `v1.LabelSelectorRequirement{Key:${quoted(key)}, Operator:${quoted(operator)}, ` +
      `Values:${shownList('string', values).text}}`,
  )
  const list = '[]v1.LabelSelectorRequirement'
  const all = expressions ? `${list}{${expressions.join(', ')}}` : `${list}(nil)`
  return `v1.LabelSelector{MatchLabels:${mapOf(matchLabels)}, MatchExpressions:${all}}`
}

/** A selector of labels, also an empty one. */
export function shownSelector(selector: Selector): Shown {
  return new Shown(selectorOf(selector))
}

function json(value: object): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'bigint' ? String(part) : part,
  )
}

function cut(text: string): string {
  return text.length > shownLength ? `${text.slice(0, shownLength)}...` : text
}
