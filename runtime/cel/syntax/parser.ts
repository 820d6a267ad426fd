/** From tokens to the tree. */
import { CelError, Double, intOf, Uint, type Value } from '../values/values.ts'
import type { Call, Expr, Ident, MapEntry, StructField } from './ast.ts'
import { CelSyntaxError, Lexer } from './lexer.ts'
import { expandMacro, type MacroSet } from './macros.ts'
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

/** What ANTLR's parser lists, which clients know from its messages. */
const expected =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"

/** Recursive descent over the lexer's tokens, each method parsing what it is named after. */
export class Parser {
  readonly #lexer: Lexer
  readonly #macros: MacroSet
  readonly #depths: number[] = []
  #nesting = 0
  nodes = 0

  constructor(source: string, macros: MacroSet) {
    this.#lexer = new Lexer(source)
    this.#macros = macros
  }

  /** The expression that the whole source is. */
  whole(): Expr {
    const expr = this.#expr()
    if (this.#lexer.kind !== 'end') this.#unexpected('<EOF>')
    return expr
  }

  /** The number of a new node over these, unless that nests too deep. */
  id(start: number, ...children: readonly Expr[]): number {
    let depth = 0
    for (const { id } of children) depth = Math.max(depth, this.#depths[id] ?? 0)
    if (depth >= maxDepth) this.#tooDeep(start)
    this.#depths.push(depth + 1)
    return this.nodes++
  }

  /** Stops reading. */
  fail(message: string, start: number, end: number): never {
    throw new CelSyntaxError(message, start, end)
  }

  #tooDeep(start: number): never {
    this.fail(`expression recursion limit exceeded: ${maxDepth}`, start, start)
  }

  #expr(): Expr {
    if (++this.#nesting > maxDepth) this.#tooDeep(this.#lexer.start)
    const condition = this.#logical('||', () => this.#logical('&&', () => this.#binary(0)))
    const expr = this.#lexer.kind === '?' ? this.#ternary(condition) : condition
    this.#nesting--
    return expr
  }

  #ternary(condition: Expr): Expr {
    const at = this.#lexer.start
    this.#lexer.next()
    const yes = this.#logical('||', () => this.#logical('&&', () => this.#binary(0)))
    this.#expect(':')
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

  /** Repeated signs cancel each other; a minus before a number belongs to the literal. */
  #unary(): Expr {
    const { kind, start } = this.#lexer
    if (kind !== '!' && kind !== '-') return this.#member(this.#primary(start, false))
    let count = 0
    let last = start
    while (this.#lexer.kind === kind) {
      last = this.#lexer.start
      count++
      this.#lexer.next()
    }
    const number = this.#lexer.kind === 'int' || this.#lexer.kind === 'double'
    const signed = kind === '-' && number
    if (signed) count--
    const operand = this.#member(this.#primary(signed ? last : this.#lexer.start, signed))
    return count % 2 === 0 ? operand : this.#call(`${kind}_`, [operand], start)
  }

  #call(name: string, args: readonly Expr[], at: number): Expr {
    const start = args.length === 1 ? at : (args[0]?.start ?? at)
    const id = this.id(start, ...args)
    return { is: 'call', id, start, end: this.#lexer.last, name, target: undefined, args, at }
  }

  #member(primary: Expr): Expr {
    let expr = primary
    for (;;) {
      const { kind, start } = this.#lexer
      if (kind === '.') expr = this.#selection(expr)
      else if (kind === '[') expr = this.#index(expr)
      else if (kind === '{' && isTypeName(expr)) expr = this.#struct(expr, start)
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
    if (kind !== 'ident' && kind !== 'quoted') this.#unexpected('IDENTIFIER')
    const name = String(lexer.value)
    lexer.next()
    if (!optional && kind === 'ident' && lexer.kind === '(') return this.#invoke(name, operand, dot)
    const { start } = operand
    const id = this.id(at, operand)
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
    this.#expect(']')
    return this.#call(optional ? '_[?_]' : '_[_]', [operand, index], at)
  }

  /** A call, or what a macro makes of it. The lexer is at the opening parenthesis. */
  #invoke(name: string, target: Expr | undefined, at: number): Expr {
    const open = this.#lexer.start
    this.#lexer.next()
    const args = this.#list(')', () => this.#expr())
    const start = target?.start ?? at
    const end = this.#lexer.last
    const id = this.id(start, ...(target === undefined ? args : [target, ...args]))
    const call: Call = { is: 'call', id, start, end, name, target, args, at: open }
    return expandMacro(call, this, this.#macros) ?? call
  }

  /** Items up to the closing token. Only calls refuse a comma after the last one. */
  #list<T>(close: string, item: () => T): readonly T[] {
    const items: T[] = []
    while (this.#lexer.kind !== close) {
      items.push(item())
      if (this.#lexer.kind !== ',') break
      if (close === ')') {
        this.#lexer.next()
        if (this.#lexer.kind === close) this.#unexpected(expected)
      } else this.#lexer.next()
    }
    this.#expect(close)
    return items
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
        return this.#listLiteral(start)
      case '{':
        return this.#mapLiteral(start)
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
        return this.#unexpected(expected)
    }
  }

  #literal(value: Value, start: number): Expr {
    this.#lexer.next()
    return { is: 'literal', id: this.id(start), start, end: this.#lexer.last, at: start, value }
  }

  #number(kind: NumberKind, text: string, start: number): Expr {
    const value = numberOf(kind, text)
    if (value === undefined) this.fail(`invalid ${kind} literal`, start, this.#lexer.end)
    return this.#literal(value, start)
  }

  #name(start: number): Expr {
    const lexer = this.#lexer
    const rooted = lexer.kind === '.'
    if (rooted) lexer.next()
    if (lexer.kind !== 'ident') this.#unexpected('IDENTIFIER')
    const name = String(lexer.value)
    if (reserved.has(name)) this.fail(`reserved identifier: ${name}`, start, lexer.end)
    lexer.next()
    if (lexer.kind === '(') return this.#invoke(rooted ? `.${name}` : name, undefined, start)
    return { is: 'ident', id: this.id(start), start, end: lexer.last, at: start, name, rooted }
  }

  #parenthesized(): Expr {
    this.#lexer.next()
    const inner = this.#expr()
    this.#expect(')')
    return inner
  }

  /** Takes the `?` of an optional item. */
  #questioned(): boolean {
    if (this.#lexer.kind !== '?' || !this.#macros.optionals) return false
    this.#lexer.next()
    return true
  }

  #listLiteral(start: number): Expr {
    this.#lexer.next()
    const optional: boolean[] = []
    const items = this.#list(']', () => {
      optional.push(this.#questioned())
      return this.#expr()
    })
    const id = this.id(start, ...items)
    return { is: 'list', id, start, end: this.#lexer.last, at: start, items, optional }
  }

  #mapLiteral(start: number): Expr {
    this.#lexer.next()
    const entries = this.#list('}', () => this.#entry())
    const id = this.id(start, ...entries.flatMap(({ key, value }) => [key, value]))
    return { is: 'map', id, start, end: this.#lexer.last, at: start, entries }
  }

  #entry(): MapEntry {
    const start = this.#lexer.start
    const optional = this.#questioned()
    const key = this.#expr()
    const at = this.#lexer.start
    this.#expect(':')
    const value = this.#expr()
    const id = this.id(at, key, value)
    return { id, start, end: this.#lexer.last, at, key, value, optional }
  }

  #struct(type: Expr, at: number): Expr {
    const { name, rooted } = qualifiedName(type)
    this.#lexer.next()
    const fields = this.#list('}', () => this.#structField())
    const id = this.id(at, ...fields.map(({ value }) => value))
    return { is: 'struct', id, start: type.start, end: this.#lexer.last, at, name, rooted, fields }
  }

  #structField(): StructField {
    const lexer = this.#lexer
    const { start } = lexer
    const optional = this.#questioned()
    if (lexer.kind !== 'ident' && lexer.kind !== 'quoted') this.#unexpected('IDENTIFIER')
    const name = String(lexer.value)
    lexer.next()
    const at = lexer.start
    this.#expect(':')
    const value = this.#expr()
    return { id: this.id(at, value), start, end: lexer.last, at, name, value, optional }
  }

  #expect(kind: string): void {
    if (this.#lexer.kind !== kind) this.#unexpected(`'${kind}'`)
    this.#lexer.next()
  }

  #unexpected(wanted: string): never {
    const { kind, start, end } = this.#lexer
    const got = kind === 'end' ? '<EOF>' : this.#lexer.text()
    this.fail(`Syntax error: mismatched input '${got}' expecting ${wanted}`, start, end)
  }
}

type NumberKind = 'int' | 'uint' | 'double'

function numberOf(kind: NumberKind, text: string): Value | undefined {
  if (kind === 'double') {
    const value = Number(text)
    return Number.isFinite(value) ? new Double(value) : undefined
  }
  const digits = text.startsWith('-') ? text.slice(1) : text
  const magnitude = BigInt(digits)
  if (kind === 'uint') return magnitude < 2n ** 64n ? new Uint(magnitude) : undefined
  const value = intOf(digits === text ? magnitude : -magnitude)
  return value instanceof CelError ? undefined : value
}

/** True for what may stand before `{`: `a.b.C{...}`. */
function isTypeName(expr: Expr): boolean {
  if (expr.is === 'ident') return true
  return expr.is === 'select' && !expr.test && !expr.optional && isTypeName(expr.operand)
}

function qualifiedName(expr: Expr): { readonly name: string; readonly rooted: boolean } {
  if (expr.is === 'select') {
    const { name, rooted } = qualifiedName(expr.operand)
    return { name: `${name}.${expr.field}`, rooted }
  }
  const { name, rooted } = expr as Ident
  return { name, rooted }
}
