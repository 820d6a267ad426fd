/** From tokens to the tree. */

import type { Value } from '../values/values.ts'
import type { Call, Expr } from './ast.ts'
import { CompositeParser, isTypeName } from './composite-literals.ts'
import { CelSyntaxError, expectedAtStart, Lexer, starts } from './lexer.ts'
import { expandMacro, type MacroSet } from './macros.ts'
import { NodeNumbers } from './node-numbers.ts'
import { type NumberKind, numberOf } from './number-literals.ts'
import { type CompileError, codePoints } from './source.ts'

/** A tree with the number of its nodes; or the error at which parsing stopped. */
export type Parsed =
  | { readonly expr: Expr; readonly nodes: number }
  | { readonly expr: undefined; readonly error: CompileError }

/** How deep nodes and parentheses may nest. */
export const maxDepth = 250
/** The longest source, in code points. */
export const maxSize = 100_000

/** Parses one expression. The first error ends it. */
export function parse(source: string, macros: MacroSet): Parsed {
  const size = source.length > maxSize ? codePoints(source) : 0
  if (size > maxSize) {
    const message = `expression code point size exceeds limit: size: ${size}, limit ${maxSize}`
    return { expr: undefined, error: { message, start: 0, end: 0 } }
  }
  try {
    const parser = new Parser(source, macros)
    return { expr: parser.whole(), nodes: parser.nodes }
  } catch (error) {
    if (error instanceof CelSyntaxError) return { expr: undefined, error: error.error }
    throw error
  }
}

/** Words that cannot be identifiers. */
const reserved = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)

/** Binary operators, the loosest first. */
const levels: readonly ReadonlySet<string>[] = [
  new Set(['<', '<=', '>', '>=', '==', '!=', 'in']),
  new Set(['+', '-']),
  new Set(['*', '/', '%']),
]

/** Recursive descent over the lexer's tokens, each method parsing what it is named after. */
export class Parser {
  readonly #lexer: Lexer
  readonly #macros: MacroSet
  readonly #nodes: NodeNumbers = new NodeNumbers(maxDepth)
  readonly #composites: CompositeParser
  #nesting = 0

  constructor(source: string, macros: MacroSet) {
    this.#lexer = new Lexer(source)
    this.#macros = macros
    const parts = { lexer: this.#lexer, nodes: this.#nodes, optionals: macros.optionals }
    this.#composites = new CompositeParser(parts, () => this.#expr())
  }

  /** The number of nodes so far. */
  get nodes(): number {
    return this.#nodes.count
  }

  /** The expression that the whole source is. */
  whole(): Expr {
    const expr = this.#expr()
    if (this.#lexer.kind !== 'end') this.#lexer.unexpected('<EOF>')
    return expr
  }

  #expr(): Expr {
    if (++this.#nesting > maxDepth) this.#nodes.tooDeep(this.#lexer.start)
    const condition = this.#logical('||', () => this.#logical('&&', () => this.#binary(0)))
    const expr = this.#lexer.kind === '?' ? this.#ternary(condition) : condition
    this.#nesting--
    return expr
  }

  #ternary(condition: Expr): Expr {
    const at = this.#lexer.start
    this.#lexer.next()
    const yes = this.#logical('||', () => this.#logical('&&', () => this.#binary(0)))
    this.#lexer.expect(':')
    const no = this.#expr()
    return this.#call('_?_:_', [condition, yes, no], at)
  }

  /** A chain of one logical operator is one call of many arguments. */
  #logical(operator: '||' | '&&', operand: () => Expr): Expr {
    const first = operand()
    if (this.#lexer.kind !== operator) return first
    const args = [first]
    const at = this.#lexer.start
    while (this.#lexer.kind === operator) {
      this.#lexer.next()
      args.push(operand())
    }
    return this.#call(`_${operator}_`, args, at)
  }

  #binary(level: number): Expr {
    const operators = levels[level]
    if (operators === undefined) return this.#unary()
    let left = this.#binary(level + 1)
    while (operators.has(this.#lexer.kind)) {
      const { kind, start } = this.#lexer
      this.#lexer.next()
      const right = this.#binary(level + 1)
      left = this.#call(kind === 'in' ? '@in' : `_${kind}_`, [left, right], start)
    }
    return left
  }

  /** Repeated signs cancel each other; a minus before a number belongs to the literal, also behind `!`. */
  #unary(): Expr {
    const { kind, start } = this.#lexer
    if (!starts.has(kind)) this.#lexer.noStart()
    if (kind !== '!' && kind !== '-') return this.#member(this.#primary(start, false))
    let count = 0
    let last = start
    while (this.#lexer.kind === kind) {
      last = this.#lexer.start
      count++
      this.#lexer.next()
    }
    let signed = kind === '-' && this.#isNumber() && count === 1
    if (signed) count--
    if (kind === '!' && this.#lexer.kind === '-') {
      last = this.#lexer.start
      this.#lexer.next()
      if (!this.#isNumber()) this.#lexer.unexpected('{NUM_FLOAT, NUM_INT}')
      signed = true
    }
    const operand = this.#member(this.#primary(signed ? last : this.#lexer.start, signed))
    return count % 2 === 0 ? operand : this.#call(`${kind}_`, [operand], start)
  }

  #isNumber(): boolean {
    return this.#lexer.kind === 'int' || this.#lexer.kind === 'double'
  }

  #call(name: string, args: readonly Expr[], at: number): Expr {
    const start = args.length === 1 ? at : (args[0]?.start ?? at)
    const id = this.#nodes.id(start, ...args)
    return { is: 'call', id, start, end: this.#lexer.last, name, target: undefined, args, at }
  }

  #member(primary: Expr): Expr {
    let expr = primary
    for (;;) {
      const { kind, start } = this.#lexer
      if (kind === '.') expr = this.#selection(expr)
      else if (kind === '[') expr = this.#index(expr)
      else if (kind === '{' && isTypeName(expr)) expr = this.#composites.struct(expr, start)
      else return expr
    }
  }

  #selection(operand: Expr): Expr {
    const lexer = this.#lexer
    const dot = lexer.start
    lexer.next()
    const optional = lexer.kind === '?' && this.#macros.optionals
    if (optional) lexer.next()
    const { kind, start: at } = lexer
    if (kind !== 'ident' && kind !== 'quoted') this.#lexer.unexpected('IDENTIFIER')
    const name = String(lexer.value)
    lexer.next()
    if (!optional && kind === 'ident' && lexer.kind === '(') return this.#invoke(name, operand, dot)
    const { start } = operand
    const id = this.#nodes.id(at, operand)
    return {
      is: 'select',
      id,
      start,
      end: lexer.last,
      at: dot,
      operand,
      field: name,
      test: false,
      optional,
    }
  }

  #index(operand: Expr): Expr {
    const lexer = this.#lexer
    const at = lexer.start
    lexer.next()
    const optional = lexer.kind === '?' && this.#macros.optionals
    if (optional) lexer.next()
    const index = this.#expr()
    this.#lexer.expect(']')
    return this.#call(optional ? '_[?_]' : '_[_]', [operand, index], at)
  }

  /** A call, or what a macro makes of it. The lexer is at the opening parenthesis. */
  #invoke(name: string, target: Expr | undefined, at: number): Expr {
    const open = this.#lexer.start
    this.#lexer.next()
    const args = this.#composites.arguments()
    const start = target?.start ?? at
    const end = this.#lexer.last
    const id = this.#nodes.id(start, ...(target === undefined ? args : [target, ...args]))
    const call: Call = { is: 'call', id, start, end, name, target, args, at: open }
    return expandMacro(call, this.#nodes, this.#macros) ?? call
  }

  #primary(start: number, negative: boolean): Expr {
    const { kind, value } = this.#lexer
    switch (kind) {
      case 'ident':
      case '.':
        return this.#name(start)
      case '(':
        return this.#parenthesized()
      case '[':
        return this.#composites.list(start)
      case '{':
        return this.#composites.map(start)
      case 'int':
      case 'uint':
      case 'double':
        return this.#number(kind as NumberKind, `${negative ? '-' : ''}${String(value)}`, start)
      case 'string':
      case 'bytes':
        return this.#literal(value, start)
      case 'true':
      case 'false':
        return this.#literal(kind === 'true', start)
      case 'null':
        return this.#literal(null, start)
      default:
        return this.#lexer.unexpected(expectedAtStart)
    }
  }

  #literal(value: Value, start: number): Expr {
    this.#lexer.next()
    return {
      is: 'literal',
      id: this.#nodes.id(start),
      start,
      end: this.#lexer.last,
      at: start,
      value,
    }
  }

  #number(kind: NumberKind, text: string, start: number): Expr {
    const value = numberOf(kind, text)
    if (value === undefined) this.#nodes.fail(`invalid ${kind} literal`, start, this.#lexer.end)
    return this.#literal(value, start)
  }

  #name(start: number): Expr {
    const lexer = this.#lexer
    const rooted = lexer.kind === '.'
    if (rooted) lexer.next()
    if (lexer.kind !== 'ident') this.#lexer.unexpected('IDENTIFIER')
    const name = String(lexer.value)
    if (reserved.has(name)) this.#nodes.fail(`reserved identifier: ${name}`, start, lexer.end)
    lexer.next()
    if (lexer.kind === '(') return this.#invoke(rooted ? `.${name}` : name, undefined, start)
    return {
      is: 'ident',
      id: this.#nodes.id(start),
      start,
      end: lexer.last,
      at: start,
      name,
      rooted,
    }
  }

  #parenthesized(): Expr {
    this.#lexer.next()
    const inner = this.#expr()
    this.#lexer.expect(')')
    return inner
  }
}
