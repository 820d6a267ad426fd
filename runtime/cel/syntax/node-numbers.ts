/** The numbers of nodes, and the depth to which they nest. */
import type { Expr } from './ast.ts'
import { CelSyntaxError } from './lexer.ts'

/** Numbers the nodes of one expression from 0, children before their parents. */
export class NodeNumbers {
  readonly #maxDepth: number
  readonly #depths: number[] = []

  constructor(maxDepth: number) {
    this.#maxDepth = maxDepth
  }

  /** How many numbers were given. */
  get count(): number {
    return this.#depths.length
  }

  /** The number of a new node over these children. Throws if it nests too deep. */
  id(start: number, ...children: readonly Expr[]): number {
    let depth = 0
    for (const { id } of children) depth = Math.max(depth, this.#depths[id] ?? 0)
    if (depth >= this.#maxDepth) this.tooDeep(start)
    this.#depths.push(depth + 1)
    return this.#depths.length - 1
  }

  /** Ends parsing with an error. */
  fail(message: string, start: number, end: number): never {
    throw new CelSyntaxError(message, start, end)
  }

  /** Ends parsing at an expression that nests too deep. */
  tooDeep(start: number): never {
    this.fail(`expression recursion limit exceeded: ${this.#maxDepth}`, start, start)
  }
}
