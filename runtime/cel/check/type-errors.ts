/** The errors of one check, in the words of the reference implementation. */
import type { CompileError } from '../syntax/source.ts'
import type { Type } from '../types/types.ts'
import * as types from '../types/types.ts'
import type { Environment } from './environment.ts'
import type { Substitution } from './substitution.ts'

/** The most errors that are reported with their texts. */
const maxErrors = 100

/** Collects errors. Every method gives the type of the wrong node, which fits everything, so that no other error follows from it. */
export class TypeErrors {
  readonly all: CompileError[] = []
  /** The number of errors beyond those that are reported. */
  further = 0
  readonly #environment: Environment
  readonly #substitution: Substitution

  constructor(environment: Environment, substitution: Substitution) {
    this.#environment = environment
    this.#substitution = substitution
  }

  /** Adds an error at an offset; in an environment without checking there are none. `names`: what may have been meant. */
  add(at: number, message: string, names?: readonly string[]): Type {
    if (!this.#environment.checked) return types.dynType
    if (this.all.length >= maxErrors) this.further++
    else this.all.push({ message, start: at, end: at, ...(names && { names }) })
    return types.errorType
  }

  /** The text of a type with the type variables that are known put in. */
  print(type: Type): string {
    const text = types.printType(this.#substitution.apply(type, true))
    return text.replaceAll('optional_type(', 'optional(')
  }

  /** The text of clients ends here; `names` are for tools that suggest a spelling. */
  undeclared(at: number, name: string, names?: Iterable<string>): Type {
    const { container } = this.#environment
    const text = `undeclared reference to '${name}' (in container '${container}')`
    return this.add(at, text, names && [...names])
  }

  mismatch(at: number, wanted: Type, found: Type): Type {
    const text = `expected type '${this.print(wanted)}' but found '${this.print(found)}'`
    return this.add(at, text)
  }

  /**
   * A method shows its receiver before the dot, `'string.(int)'`, a function has all in
   * parentheses.
   */
  noOverload(
    { at, name }: { at: number; name: string },
    args: readonly Type[],
    member: boolean,
  ): Type {
    const texts = args.map((type) => this.print(type))
    const [first, ...rest] = texts
    const applied = member ? `${first}.(${rest.join(', ')})` : `(${texts.join(', ')})`
    return this.add(at, `found no matching overload for '${name}' applied to '${applied}'`)
  }
}
