/** The variables that macros bind. */
import type { Type } from '../types/types.ts'

/** A variable that a macro binds, and the index of its value in a frame. */
export interface Local {
  readonly name: string
  readonly type: Type
  readonly slot: number
}

/** The variables of the macros around a node, the innermost last. An inner one hides an outer one of the same name. */
export class Scope {
  readonly #locals: Local[] = []

  /** How many variables are bound here: the slot of the next. */
  get depth(): number {
    return this.#locals.length
  }

  names(): readonly string[] {
    return this.#locals.map(({ name }) => name)
  }

  declare(name: string, type: Type): void {
    this.#locals.push({ name, type, slot: this.#locals.length })
  }

  /** Forgets the variables that were declared since the depth was this. */
  leave(depth: number): void {
    this.#locals.length = depth
  }

  find(name: string): Local | undefined {
    for (let index = this.#locals.length - 1; index >= 0; index--) {
      if (this.#locals[index]?.name === name) return this.#locals[index]
    }
    return undefined
  }
}
