/** The state of one evaluation. */
import { evaluationStopped } from '../limits/step-limit.ts'
import { adopt, CelError, fail, type Result, type Value } from '../values/values.ts'

/**
 * A planned node: evaluates in a frame. Errors of the expression are results, never exceptions; only a spent limit is
 * thrown (`evaluationStopped`).
 */
export type Code = (frame: Frame) => Result

/** A variable of the environment that a program reads. */
export interface Slot {
  readonly name: string
  /** How a bound JSON value becomes a value of the declared type; undefined if it is adopted as it is. */
  readonly read: ((raw: unknown) => Result) | undefined
  /** Every JavaScript object inherits a member of that name, so only an own binding counts. */
  readonly careful: boolean
}

/**
 * The values of variables by name. A function is called when its variable is first read, at most once in an evaluation.
 */
export type Bindings = Readonly<Record<string, unknown>>

/**
 * One evaluation: the cost that is left, the variables read so far and the variables that macros bind. A program reuses
 * one frame; an evaluation inside an evaluation of the same program gets another.
 */
export class Frame {
  /** Units of cost that are left; negative once more was spent. */
  left = 0
  /** The variables of macros by slot. */
  readonly locals: Result[] = []
  readonly slots: readonly Slot[]
  bindings: Bindings = nothing
  /** The variables of the environment that were read, by index; undefined if not yet read. */
  readonly globals: (Result | undefined)[]

  constructor(slots: readonly Slot[]) {
    this.slots = slots
    this.globals = slots.map(() => undefined)
  }

  /** Makes the frame ready for an evaluation. */
  start(bindings: Bindings, left: number): void {
    this.bindings = bindings
    this.left = left
  }

  /** Releases the values that the evaluation read. */
  end(): void {
    this.bindings = nothing
    const { globals, locals } = this
    for (let index = 0; index < globals.length; index++) globals[index] = undefined
    for (let index = 0; index < locals.length; index++) locals[index] = null
  }

  /** Takes a cost before its work is done; throws `evaluationStopped` if less is left. */
  charge(cost: number): void {
    this.left -= cost
    if (this.left < 0) throw evaluationStopped
  }

  /** Reads a variable of the environment for the first time. */
  load(index: number): Result {
    const { name, read, careful } = this.slots[index] as Slot
    const { bindings } = this
    const bound = careful && !Object.hasOwn(bindings, name) ? undefined : bindings[name]
    const value =
      read === undefined && typeof bound === 'object' && bound !== null
        ? (bound as Value)
        : valueOfBound(name, read, bound)
    this.globals[index] = value
    return value
  }
}

const nothing: Bindings = {}

function valueOfBound(name: string, read: Slot['read'], bound: unknown): Result {
  const raw: unknown = typeof bound === 'function' ? bound() : bound
  if (raw === undefined) return fail(`no such attribute(s): ${name}`)
  if (raw instanceof CelError) return raw
  return read === undefined ? adopt(raw) : read(raw)
}

/** The code of a constant. It costs nothing. */
export function constantCode(value: Value): Code {
  return () => value
}
