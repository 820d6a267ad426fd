import { StatusError } from '../errors/status-error.ts'
import { isLabelKey, isLabelValue } from './names.ts'

/** The operators of label selectors as requirements have them. */
export type LabelOperator = 'in' | 'notin' | '=' | '!=' | 'exists' | '!' | 'gt' | 'lt'

/** One requirement of a label selector. `values` has one element for comparisons, none for existence. */
export interface LabelRequirement {
  readonly key: string
  readonly operator: LabelOperator
  readonly values: readonly string[]
}

type Labels = Readonly<Record<string, string>>

/** A label selector as objects hold it. */
export interface LabelSelectorFields {
  readonly matchLabels?: Labels
  readonly matchExpressions?:
    | readonly {
        readonly key?: string
        readonly operator?: string
        readonly values?: readonly string[] | null
      }[]
    | null
}

/**
 * Parses a label selector: equality, sets, existence and comparison, joined by commas. The empty text selects everything.
 *
 * @throws StatusError BadRequest for a text that is no selector
 */
export function parseLabelSelector(text: string): readonly LabelRequirement[] {
  return new SelectorParser(text).read()
}

const token = /\s*(==|!=|[=!<>(),]|[^\s=!<>(),]+)\s*/y

/** A recursive descent parser over the tokens of a selector. */
class SelectorParser {
  readonly #tokens: readonly string[]
  #at = 0

  constructor(text: string) {
    this.#tokens = tokensOf(text)
  }

  read(): readonly LabelRequirement[] {
    const requirements: LabelRequirement[] = []
    if (this.#tokens.length === 0) return requirements
    do requirements.push(this.#requirement())
    while (this.#take(','))
    if (this.#at < this.#tokens.length) {
      refuse(`found '${this.#tokens[this.#at]}', expected: ',' or 'end of string'`)
    }
    return requirements
  }

  #requirement(): LabelRequirement {
    const absent = this.#take('!')
    const key = this.#key()
    if (absent) return { key, operator: '!', values: [] }
    const next = this.#tokens[this.#at]
    if (next === undefined || next === ',') return { key, operator: 'exists', values: [] }
    this.#at++
    if (next === 'in' || next === 'notin') return { key, operator: next, values: this.#set() }
    if (next === '=' || next === '==') return { key, operator: '=', values: [this.#value()] }
    if (next === '!=') return { key, operator: '!=', values: [this.#value()] }
    if (next === '>' || next === '<') {
      return { key, operator: next === '>' ? 'gt' : 'lt', values: [this.#number()] }
    }
    return refuse(`found '${next}', expected: in, notin, =, ==, !=, gt, lt`)
  }

  #key(): string {
    const key = this.#word()
    if (key === '') refuse(`found '${this.#tokens[this.#at] ?? ''}', expected: identifier`)
    return isLabelKey(key)
      ? key
      : refuse(`key: Invalid value: ${JSON.stringify(key)}: not a label key`)
  }

  #set(): readonly string[] {
    if (!this.#take('(')) refuse(`found '${this.#tokens[this.#at] ?? ''}', expected: '('`)
    const values: string[] = []
    do values.push(this.#value())
    while (this.#take(','))
    if (!this.#take(')')) refuse(`found '${this.#tokens[this.#at] ?? ''}', expected: ',' or ')'`)
    return [...new Set(values)].sort()
  }

  #value(): string {
    const value = this.#word()
    if (isLabelValue(value)) return value
    return refuse(`values[0]: Invalid value: ${JSON.stringify(value)}: not a label value`)
  }

  #number(): string {
    const text = this.#word()
    return /^-?\d{1,18}$/.test(text)
      ? text
      : refuse(`for 'Gt', 'Lt' operators, the value must be an integer`)
  }

  #word(): string {
    const next = this.#tokens[this.#at]
    if (next === undefined || /^(==|!=|[=!<>(),])$/.test(next)) return ''
    this.#at++
    return next
  }

  #take(text: string): boolean {
    const there = this.#tokens[this.#at] === text
    if (there) this.#at++
    return there
  }
}

function tokensOf(text: string): readonly string[] {
  const tokens: string[] = []
  const trimmed = text.trim()
  token.lastIndex = 0
  while (token.lastIndex < trimmed.length) {
    const found = token.exec(trimmed)
    if (found?.[1] === undefined) break
    tokens.push(found[1])
  }
  return tokens
}

function refuse(why: string): never {
  throw new StatusError('BadRequest', `unable to parse requirement: ${why}`)
}

const operators: Readonly<Record<string, LabelOperator>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
}

/** The requirements of a selector object; an unknown operator gives undefined. */
export function labelRequirementsOf(
  selector: LabelSelectorFields,
): readonly LabelRequirement[] | undefined {
  const requirements: LabelRequirement[] = Object.entries(selector.matchLabels ?? {}).map(
    ([key, value]) => ({ key, operator: '=', values: [value] }),
  )
  for (const { key = '', operator = '', values } of selector.matchExpressions ?? []) {
    const known = Object.hasOwn(operators, operator) ? operators[operator] : undefined
    if (known === undefined) return undefined
    requirements.push({ key, operator: known, values: [...(values ?? [])].sort() })
  }
  return requirements.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
}

/** The selector as text; parsing it gives the same requirements. */
export function printLabelSelector(requirements: readonly LabelRequirement[]): string {
  return requirements.map(printRequirement).join(',')
}

function printRequirement({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case 'exists':
      return key
    case '!':
      return `!${key}`
    case 'in':
    case 'notin':
      return `${key} ${operator} (${values.join(',')})`
    case 'gt':
    case 'lt':
      return `${key}${operator === 'gt' ? '>' : '<'}${values[0]}`
    default:
      return `${key}${operator}${values[0]}`
  }
}

/** True if every requirement holds. `!=` and `notin` hold for labels without the key. */
export function matchesLabels(
  requirements: readonly LabelRequirement[],
  labels: Labels | undefined,
): boolean {
  return requirements.every((requirement) => {
    const has = labels !== undefined && Object.hasOwn(labels, requirement.key)
    return matchesOne(requirement, has ? labels[requirement.key] : undefined)
  })
}

function matchesOne({ operator, values }: LabelRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'exists':
      return value !== undefined
    case '!':
      return value === undefined
    case '=':
    case 'in':
      return value !== undefined && values.includes(value)
    case '!=':
    case 'notin':
      return value === undefined || !values.includes(value)
    case 'gt':
      return value !== undefined && isInteger(value) && Number(value) > Number(values[0])
    case 'lt':
      return value !== undefined && isInteger(value) && Number(value) < Number(values[0])
  }
}

function isInteger(text: string): boolean {
  return /^-?\d{1,18}$/.test(text)
}
