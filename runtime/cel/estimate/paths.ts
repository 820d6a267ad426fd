/** Paths from the value of a schema to the parts that an expression reads, and how large those parts can get. */
import type { Range } from '../functions/functions.ts'
import type { Bounds } from '../types/types.ts'

/** A step to an item of a list, to a value of a map, or to its keys; any other step is a field. */
export const steps = { items: '@items', values: '@values', keys: '@keys' } as const

/**
 * A path, whose first step is the name of a variable.
 *
 * Estimates decide what can be written, so a path grows as it does in the reference cost model, where paths share
 * memory: of two paths that continue the same one, the later may replace the step of the earlier.
 */
export class Path {
  readonly #steps: string[]
  readonly #length: number
  readonly #capacity: number

  constructor(steps: string[], length: number, capacity: number) {
    this.#steps = steps
    this.#length = length
    this.#capacity = capacity
  }

  /** The path that begins here. */
  static of(first: string): Path {
    return new Path([first], 1, 1)
  }

  /** The path one step further. */
  to(step: string): Path {
    const length = this.#length + 1
    const fits = length <= this.#capacity
    const shared = fits ? this.#steps : this.#steps.slice(0, this.#length)
    shared[this.#length] = step
    return new Path(shared, length, fits ? this.#capacity : 2 * this.#capacity)
  }

  /** The size of what the path leads to, from `root`, which every variable stands for; undefined if it is not bounded. */
  sizeIn(root: Bounds | undefined, ...further: readonly string[]): Range | undefined {
    const rest = [...this.#steps.slice(1, this.#length), ...further]
    const size = rest.reduce(stepped, root)?.size
    return size === undefined ? undefined : { min: 0, max: size }
  }
}

/** The path after `path`; an expression without one begins a path at its first step. */
export function continued(path: Path | undefined, step: string): Path {
  return path === undefined ? Path.of(step) : path.to(step)
}

function stepped(bounds: Bounds | undefined, step: string): Bounds | undefined {
  switch (step) {
    case steps.items:
    case steps.values:
      return bounds?.element
    case steps.keys:
      return bounds?.key
    default:
      return bounds?.field?.(step)
  }
}
