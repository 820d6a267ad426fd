import { evaluationStopped } from '../limits/step-limit.ts'
import { adopt, CelError, fail, type Result, type Value } from '../values/values.ts'

/** A planned node: evaluates within a frame. */
export type Code = (frame: Frame) => Result

/** A variable that a program reads, by the index that its code knows it under. */
export interface Slot {
  readonly name: string
  readonly read: ((raw: unknown) => Result) | undefined
  /** The name is one that every object inherits. */
  readonly careful: boolean
}

/** What is bound to variables. A function is called when the variable is first read, at most once in an evaluation. */
export type Bindings = Readonly<Record<string, unknown>>

/**
 * One evaluation: what may still be spent, the variables read so far, and the variables that macros bind. A program
 * keeps one frame and uses it again; an evaluation inside an evaluation of the same program gets its own.
 */
export class Frame {
  left = 0
  readonly locals: Result[] = []
  readonly slots: readonly Slot[]
  bindings: Bindings = nothing
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

  /** Forgets what the evaluation read. */
  end(): void {
    this.bindings = nothing
    const { globals, locals } = this
    for (let index = 0; index < globals.length; index++) globals[index] = undefined
    for (let index = 0; index < locals.length; index++) locals[index] = null
  }

  /** Takes a cost whose work has still to be done, and stops if it is more than is left. */
  charge(cost: number): void {
    this.left -= cost
    if (this.left < 0) throw evaluationStopped
  }

  /** Reads a variable for the first time. */
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

/** The code of a constant. */
export function constantCode(value: Value): Code {
  return () => value
}
