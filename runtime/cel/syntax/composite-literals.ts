/** Parses what has items in brackets: arguments, lists, maps and structs. */
import type { Expr, Ident, MapEntry, StructField } from './ast.ts'
import { expectedAtStart, type Lexer } from './lexer.ts'
import type { NodeNumbers } from './node-numbers.ts'

/** The parts of a parser that one of its parts works with. */
export interface ParserParts {
  readonly lexer: Lexer
  readonly nodes: NodeNumbers
  /** Whether items may be optional: `[?a]`. */
  readonly optionals: boolean
}

/** Parses items between brackets; `expr` parses one expression. */
export class CompositeParser {
  readonly #lexer: Lexer
  readonly #nodes: NodeNumbers
  readonly #optionals: boolean
  readonly #expr: () => Expr

  constructor({ lexer, nodes, optionals }: ParserParts, expr: () => Expr) {
    this.#lexer = lexer
    this.#nodes = nodes
    this.#optionals = optionals
    this.#expr = expr
  }

  /** The arguments of a call, up to the closing parenthesis. */
  arguments(): readonly Expr[] {
    return this.#items(')', this.#expr)
  }

  /** Takes the `?` of an optional item. */
  #takeOptionalMark(): boolean {
    if (this.#lexer.kind !== '?' || !this.#optionals) return false
    this.#lexer.next()
    return true
  }

  /** `[a, ?b]`. The lexer is at the opening bracket. */
  list(start: number): Expr {
    this.#lexer.next()
    const optional: boolean[] = []
    const items = this.#items(']', () => {
      optional.push(this.#takeOptionalMark())
      return this.#expr()
    })
    const id = this.#nodes.id(start, ...items)
    return { is: 'list', id, start, end: this.#lexer.last, at: start, items, optional }
  }

  /** `{k: v}`. The lexer is at the opening brace. */
  map(start: number): Expr {
    this.#lexer.next()
    const entries = this.#items('}', () => this.#entry())
    const id = this.#nodes.id(start, ...entries.flatMap(({ key, value }) => [key, value]))
    return { is: 'map', id, start, end: this.#lexer.last, at: start, entries }
  }

  #entry(): MapEntry {
    const start = this.#lexer.start
    const optional = this.#takeOptionalMark()
    const key = this.#expr()
    const at = this.#lexer.start
    this.#lexer.expect(':')
    const value = this.#expr()
    const id = this.#nodes.id(at, key, value)
    return { id, start, end: this.#lexer.last, at, key, value, optional }
  }

  /** `a.b.C{f: v}`. The lexer is at the opening brace. */
  struct(type: Expr, at: number): Expr {
    const { name, rooted } = qualifiedName(type)
    this.#lexer.next()
    const fields = this.#items('}', () => this.#structField())
    const id = this.#nodes.id(at, ...fields.map(({ value }) => value))
    return { is: 'struct', id, start: type.start, end: this.#lexer.last, at, name, rooted, fields }
  }

  #structField(): StructField {
    const lexer = this.#lexer
    const { start } = lexer
    const optional = this.#takeOptionalMark()
    if (lexer.kind !== 'ident' && lexer.kind !== 'quoted') this.#lexer.unexpected('IDENTIFIER')
    const name = String(lexer.value)
    lexer.next()
    const at = lexer.start
    this.#lexer.expect(':')
    const value = this.#expr()
    return { id: this.#nodes.id(at, value), start, end: lexer.last, at, name, value, optional }
  }

  /** Items up to the closing token. Only calls refuse a comma after the last one. */
  #items<T>(close: string, item: () => T): readonly T[] {
    const items: T[] = []
    while (this.#lexer.kind !== close) {
      items.push(item())
      if (this.#lexer.kind !== ',') break
      if (close === ')') {
        this.#lexer.next()
        if (this.#lexer.kind === close) this.#lexer.unexpected(expectedAtStart)
      } else this.#lexer.next()
    }
    this.#lexer.expect(close)
    return items
  }
}

/** True for what may stand before `{`: `a.b.C{...}`. */
export function isTypeName(expr: Expr): boolean {
  if (expr.is === 'ident') return true
  return expr.is === 'select' && !expr.test && !expr.optional && isTypeName(expr.operand)
}

/** Only for what `isTypeName` accepts. */
function qualifiedName(expr: Expr): { readonly name: string; readonly rooted: boolean } {
  if (expr.is === 'select') {
    const { name, rooted } = qualifiedName(expr.operand)
    return { name: `${name}.${expr.field}`, rooted }
  }
  const { name, rooted } = expr as Ident
  return { name, rooted }
}
