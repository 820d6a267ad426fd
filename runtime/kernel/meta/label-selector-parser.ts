import { StatusError } from '../errors/status-error.ts'
import { quoted } from '../values/quoted.ts'
import type { LabelOperator, LabelRequirement } from './label-selector.ts'
import { labelValueProblems, qualifiedNameProblems } from './names.ts'

/**
 * Parses a label selector: equality, sets, existence and comparison, joined by commas. The empty text selects everything.
 * What is wrong is said in the words of public servers, since clients show them.
 *
 * @throws StatusError BadRequest for a text that is no selector
 */
export function parseLabelSelector(text: string): readonly LabelRequirement[] {
  return new SelectorParser(text).read()
}

const token = /\s*(==|!=|[=!<>(),]|[^\s=!<>(),]+)/y
const symbols: ReadonlySet<string> = new Set(['=', '==', '!', '!=', '<', '>', '(', ')', ','])

const operators: Readonly<Record<string, LabelOperator>> = {
  in: 'in',
  notin: 'notin',
  '=': '=',
  '==': '=',
  '!=': '!=',
  '>': 'gt',
  '<': 'lt',
}

/** A recursive descent parser over the tokens of a selector; the empty token is its end. */
class SelectorParser {
  readonly #tokens: readonly string[]
  #at = 0

  constructor(text: string) {
    this.#tokens = tokensOf(text)
  }

  read(): readonly LabelRequirement[] {
    const requirements: LabelRequirement[] = []
    if (this.#next() === '') return requirements
    if (!this.#startsRequirement()) this.#refuse(`!, identifier, or 'end of string'`)
    for (;;) {
      requirements.push(this.#requirement())
      if (this.#next() === '') return requirements
      if (this.#next() !== ',') this.#refuse(`',' or 'end of string'`)
      this.#at++
      if (!this.#startsRequirement()) this.#refuse(`identifier after ','`)
    }
  }

  #next(): string {
    return this.#tokens[this.#at] ?? ''
  }

  #isWord(): boolean {
    return this.#next() !== '' && !symbols.has(this.#next())
  }

  #startsRequirement(): boolean {
    return this.#isWord() || this.#next() === '!'
  }

  #requirement(): LabelRequirement {
    const absent = this.#next() === '!'
    if (absent) this.#at++
    if (!this.#isWord()) this.#refuseRequirement('identifier')
    const key = this.#take()
    checkKey(key)
    if (absent) return { key, operator: '!', values: [] }
    if (this.#next() === '' || this.#next() === ',') return { key, operator: 'exists', values: [] }
    const operator = Object.hasOwn(operators, this.#next()) ? operators[this.#next()] : undefined
    if (operator === undefined) this.#refuseRequirement('in, notin, =, ==, !=, gt, lt')
    this.#at++
    const values = operator === 'in' || operator === 'notin' ? this.#set() : [this.#exactValue()]
    checkValues(key, operator, values)
    return { key, operator, values }
  }

  #exactValue(): string {
    if (this.#next() === '' || this.#next() === ',') return ''
    if (!this.#isWord()) this.#refuseRequirement('identifier')
    return this.#take()
  }

  /** Values in parentheses; an empty place between commas is the empty value. */
  #set(): readonly string[] {
    if (this.#next() !== '(') refuse(`found '${this.#next()}' expected: '('`)
    this.#at++
    if (!this.#isWord() && this.#next() !== ',' && this.#next() !== ')')
      this.#refuseRequirement(`',', ')' or identifier`)
    const values = new Set<string>()
    if (this.#next() === ')') values.add('')
    while (this.#next() !== ')') this.#setItem(values)
    this.#at++
    return [...values].sort()
  }

  #setItem(values: Set<string>): void {
    if (this.#isWord()) {
      values.add(this.#take())
      if (this.#next() !== ',' && this.#next() !== ')') this.#refuseRequirement(`',' or ')'`)
      return
    }
    if (this.#next() !== ',') this.#refuseRequirement(`',', or identifier`)
    this.#at++
    if (values.size === 0 || this.#next() === ',' || this.#next() === ')') values.add('')
    const twice = this.#next() === ','
    if (twice) this.#at++
    const goesOn = this.#isWord() || this.#next() === (twice ? ',' : ')')
    if (!goesOn) this.#refuseRequirement(`',', or identifier`)
  }

  #take(): string {
    const taken = this.#next()
    this.#at++
    return taken
  }

  #refuse(expected: string): never {
    throw new StatusError('BadRequest', `found '${this.#next()}', expected: ${expected}`)
  }

  #refuseRequirement(expected: string): never {
    return refuse(`found '${this.#next()}', expected: ${expected}`)
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

function checkKey(key: string): void {
  const problems = qualifiedNameProblems(key)
  if (problems.length === 0) return
  refuse(`<nil>: Invalid value: ${quoted(key)}: ${problems.join('; ')}`)
}

/** Bounds of a 64-bit integer. */
const [smallest, largest] = [-(2n ** 63n), 2n ** 63n - 1n]

function checkValues(key: string, operator: LabelOperator, values: readonly string[]): void {
  const found: string[] = []
  if (operator === 'gt' || operator === 'lt') {
    const [value = ''] = values
    const is = /^[+-]?\d{1,40}$/.test(value) ? BigInt(value.replace('+', '')) : undefined
    if (is === undefined || is < smallest || is > largest) {
      const why = `for 'Gt', 'Lt' operators, the value must be an integer`
      found.push(`values[0]: Invalid value: ${quoted(value)}: ${why}`)
    }
  }
  for (const [index, value] of values.entries()) {
    const problems = labelValueProblems(value)
    if (problems.length === 0) continue
    const why = problems.join('; ')
    found.push(`values[${index}][${key}]: Invalid value: ${quoted(value)}: ${why}`)
  }
  if (found.length > 0) refuse(found.length === 1 ? `${found[0]}` : `[${found.join(', ')}]`)
}

function refuse(why: string): never {
  throw new StatusError('BadRequest', `unable to parse requirement: ${why}`)
}
