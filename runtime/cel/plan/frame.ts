import { adopt, CelError, fail, type Result, type Value } from '../values.ts'
import { stop } from '../work.ts'

/** A planned node: evaluates within a frame. */
export type Code = (frame: Frame) => Result

/** A variable that a program reads, by the index that its code knows it under. */
export interface Slot {
  readonly name: string
  readonly read: ((raw: unknown) => Result) | undefined
}

/** What is bound to variables. A function is called when the variable is first read, at most once in an evaluation. */
export type Bindings = Readonly<Record<string, unknown>>

/** One evaluation: what may still be spent, the variables read so far, and the variables that macros bind. */
export class Frame {
  left: number
  readonly locals: Result[] = []
  readonly #slots: readonly Slot[]
  readonly #bindings: Bindings
  readonly #globals: (Result | undefined)[] = []

  constructor(slots: readonly Slot[], bindings: Bindings, left: number) {
    this.#slots = slots
    this.#bindings = bindings
    this.left = left
  }

  /** Takes a cost whose work has still to be done, and stops if it is more than is left. */
  charge(cost: number): void {
    this.left -= cost
    if (this.left < 0) throw stop
  }

  /** The value of a variable. */
  global(index: number): Result {
    const known = this.#globals[index]
    if (known !== undefined) return known
    const value = this.#load(this.#slots[index] as Slot)
    this.#globals[index] = value
    return value
  }

  #load({ name, read }: Slot): Result {
    const bound = Object.hasOwn(this.#bindings, name) ? this.#bindings[name] : undefined
    const raw: unknown = typeof bound === 'function' ? bound() : bound
    if (raw === undefined) return fail(`no such attribute(s): ${name}`)
    if (raw instanceof CelError) return raw
    return read === undefined ? adopt(raw) : read(raw)
  }
}

/** The code of a constant. */
export function constantCode(value: Value): Code {
  return () => value
}
