/** The grammar of label selectors as text, and what is said of a text that is none. */
import { StatusError } from '../errors/status-error.ts'
import type { LabelOperator, LabelRequirement } from './label-selector.ts'
import { labelValueProblems, qualifiedNameProblems } from './names.ts'

const operators: Readonly<Record<string, LabelOperator>> = {
  in: 'in',
  notin: 'notin',
  '=': '=',
  '==': '=',
  '!=': '!=',
  '>': 'gt',
  '<': 'lt',
}

const token = /[ \t\r\n]*(==|!=|[=!<>(),]|[^ \t\r\n=!<>(),]+)/y
const symbol = /^(?:==|!=|[=!<>(),])$/

/** A recursive descent parser over the tokens of a selector. */
export class SelectorParser {
  readonly #tokens: readonly string[]
  #at = 0

  constructor(text: string) {
    this.#tokens = tokensOf(text)
  }

  /** @throws StatusError BadRequest */
  read(): readonly LabelRequirement[] {
    const requirements: LabelRequirement[] = []
    while (this.#next() !== '') {
      if (!this.#startsRequirement()) refuse(this.#found("!, identifier, or 'end of string'"))
      requirements.push(this.#requirement())
      if (this.#next() === '') break
      if (this.#next() !== ',') refuse(this.#found("',' or 'end of string'"))
      this.#at++
      if (!this.#startsRequirement()) refuse(this.#found("identifier after ','"))
    }
    return requirements
  }

  /** The token that is looked at; empty at the end. */
  #next(): string {
    return this.#tokens[this.#at] ?? ''
  }

  #isWord(): boolean {
    return this.#next() !== '' && !symbol.test(this.#next())
  }

  #startsRequirement(): boolean {
    return this.#isWord() || this.#next() === '!'
  }

  #found(expected: string): string {
    return `found '${this.#next()}', expected: ${expected}`
  }

  #requirement(): LabelRequirement {
    const absent = this.#take('!')
    if (!this.#isWord()) invalid(this.#found('identifier'))
    const key = this.#tokens[this.#at++]!
    const wrong = qualifiedNameProblems(key)
    if (wrong.length > 0) invalid(`<nil>: ${invalidValue(key, wrong)}`)
    if (absent) return { key, operator: '!', values: [] }
    if (this.#next() === '' || this.#next() === ',') return { key, operator: 'exists', values: [] }
    const word = this.#next()
    const operator = Object.hasOwn(operators, word) ? operators[word] : undefined
    if (operator === undefined) return invalid(this.#found('in, notin, =, ==, !=, gt, lt'))
    this.#at++
    const values = operator === 'in' || operator === 'notin' ? this.#set() : [this.#value()]
    return checked({ key, operator, values })
  }

  /** Values in parentheses; nothing between two commas, or beside a parenthesis, is the empty text. */
  #set(): readonly string[] {
    if (!this.#take('(')) invalid(`found '${this.#next()}' expected: '('`)
    if (this.#take(')')) return ['']
    if (!this.#isWord() && this.#next() !== ',') invalid(this.#found("',', ')' or identifier"))
    const values = new Set<string>()
    do this.#setPart(values)
    while (!this.#take(')'))
    return [...values].sort()
  }

  /** One word, or one comma and what it stands for. */
  #setPart(values: Set<string>): void {
    if (this.#isWord()) {
      values.add(this.#tokens[this.#at++]!)
      if (this.#next() !== ',' && this.#next() !== ')') invalid(this.#found("',' or ')'"))
      return
    }
    if (this.#next() !== ',') invalid(this.#found("',', or identifier"))
    this.#at++
    if (values.size === 0) values.add('')
    if (this.#next() === ')') values.add('')
    if (this.#next() !== ',') return
    this.#at++
    values.add('')
    if (this.#next() === ')') invalid(this.#found("',', or identifier"))
  }

  #value(): string {
    if (this.#next() === '' || this.#next() === ',') return ''
    if (!this.#isWord()) invalid(this.#found('identifier'))
    return this.#tokens[this.#at++]!
  }

  #take(text: string): boolean {
    const there = this.#next() === text
    if (there) this.#at++
    return there
  }
}

function tokensOf(text: string): readonly string[] {
  const tokens: string[] = []
  token.lastIndex = 0
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    tokens.push(found[1]!)
  }
  return tokens
}

function checked(requirement: LabelRequirement): LabelRequirement {
  const { key, operator, values } = requirement
  const numeric = operator === 'gt' || operator === 'lt'
  const problems = numeric && !isInt64(values[0] ?? '') ? [integerProblem(values[0] ?? '')] : []
  for (const [index, value] of values.entries()) {
    const wrong = labelValueProblems(value)
    if (wrong.length > 0) problems.push(`values[${index}][${key}]: ${invalidValue(value, wrong)}`)
  }
  if (problems.length > 1) invalid(`[${problems.join(', ')}]`)
  return problems.length === 1 ? invalid(problems[0]!) : requirement
}

function integerProblem(value: string): string {
  const why = "for 'Gt', 'Lt' operators, the value must be an integer"
  return `values[0]: ${invalidValue(value, [why])}`
}

/** True for an integer of 64 bits, with or without a sign. */
export function isInt64(text: string): boolean {
  if (!/^[+-]?[0-9]{1,100}$/.test(text)) return false
  const value = BigInt(text.replace('+', ''))
  return BigInt.asIntN(64, value) === value
}

function invalidValue(value: string, problems: readonly string[]): string {
  return `Invalid value: ${JSON.stringify(value)}: ${problems.join('; ')}`
}

function invalid(why: string): never {
  return refuse(`unable to parse requirement: ${why}`)
}

function refuse(why: string): never {
  throw new StatusError('BadRequest', why)
}
