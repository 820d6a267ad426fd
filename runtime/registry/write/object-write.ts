import type { Awaitable } from '../../kernel/async/awaitable.ts'
import { yieldToEventLoop } from '../../kernel/async/slices.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import type { UpdateCall, WriteCall } from '../contract/context.ts'
import type { WriteAdmission } from '../strategy/admission.ts'
import type { Draft } from '../strategy/decode.ts'
import type { KindStrategy } from '../strategy/kind-strategy.ts'

/** A request to write one object. */
export interface WriteRequest extends WriteCall {
  /** Absent where no plugin looks at the request. */
  readonly admission: WriteAdmission | undefined
}

/** A request to change one stored object. */
export interface UpdateRequest extends WriteRequest, UpdateCall {
  readonly target: UpdateCall['target']
}

/** An object on its way to the store: what the steps of a write read, and what each of them hands on to the next. */
export interface ObjectWrite extends WriteRequest {
  readonly strategy: KindStrategy
  /** The object's own name, or the one that was generated for it. */
  readonly name: string
  /** What the sender's body or patch made. */
  readonly draft: Draft
  /** The object as the request alone makes it, with defaults: what its field manager manages. */
  readonly requested: ApiObject
  /** The object as the steps so far have left it. */
  readonly object: ApiObject
  /** What the first reader refused and no step has settled since. */
  readonly fieldErrors: readonly FieldError[]
  readonly warnings: readonly string[]
  /** Plugins or allocators set something that the request does not. */
  readonly amended?: boolean
}

/** The write of a successor to a stored object. */
export interface ObjectUpdate extends ObjectWrite {
  readonly target: UpdateCall['target']
  /** The stored object as it is served. */
  readonly stored: Stored<ApiObject>
  /** The stored object without its resourceVersion. */
  readonly old: ApiObject
}

/** One step of a write. @throws StatusError to refuse it. */
export type WriteStep<W extends ObjectWrite> = (write: W) => Awaitable<W>

/** Takes a write through its steps in order. Between steps of a large object other requests have their turn. */
export async function runSteps<W extends ObjectWrite>(
  start: W,
  steps: readonly WriteStep<W>[],
): Promise<W> {
  let write = start
  for (const step of steps) {
    if (write.draft.large) await yieldToEventLoop()
    const next = step(write)
    write = next instanceof Promise ? await next : next
  }
  return write
}
