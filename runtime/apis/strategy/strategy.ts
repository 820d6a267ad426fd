/**
 * The contract of a strategy: what is particular to the objects of one kind when they are written.
 *
 * A schema file names the strategies of its kind; `strategies.ts` is their table. Every hook is a pure function of objects,
 * and the registry says when each of them runs.
 */
import type { Steps } from '../../kernel/async/slices.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import type { Field } from '../../kernel/walker/field.ts'
import type { LooseObject } from '../../kernel/walker/loose.ts'
import type { StrategyContext } from './context.ts'
import type { WriteAccess } from './write-access.ts'

/**
 * The hooks of one strategy, each optional, for objects of the generated type `T`. Objects were read by the reader of their
 * kind, which does not stop at an error: any field may be absent. A hook never changes an object, it returns another one.
 */
export interface Strategy<T = ApiObject> {
  /** Fills in what follows from other fields, on every write, after the defaults of the schema. */
  defaults?(object: LooseObject<T>, context: StrategyContext): ApiObject
  /** Shapes a new object: fields that the system owns, such as an initial status. */
  prepareCreate?(object: LooseObject<T>, context: StrategyContext): ApiObject
  /** Shapes an update: what a client may not change silently is taken from the old object. */
  prepareUpdate?(object: LooseObject<T>, old: LooseObject<T>, context: StrategyContext): ApiObject
  /** Shapes a write through the subresource that the context names. */
  prepareSubresource?(
    object: LooseObject<T>,
    old: LooseObject<T>,
    context: StrategyContext,
  ): ApiObject
  /**
   * Refuses what its sender may not give. Runs behind the mutating plugins, for requests only.
   *
   * @throws StatusError Forbidden.
   */
  permit?(object: ApiObject, old: ApiObject | undefined, access: WriteAccess): Promise<void>
  /** Warnings for the sender of an accepted object. */
  warn?(
    object: LooseObject<T>,
    old: LooseObject<T> | undefined,
    context: StrategyContext,
  ): readonly string[]
  /** Reports every error that the schema cannot state; `object.old` is the stored object on an update. */
  check?(object: Field<T>, context: StrategyContext): void
  /** Reports every error of a status that is written through its own path, where `check` does not run. */
  checkStatus?(object: Field<T>, context: StrategyContext): void
  /** The same, in steps, where it may take milliseconds: other requests run between the steps. */
  checkInSteps?(object: Field<T>, context: StrategyContext): Steps<void>
  /** The three, as functions of two objects; the table makes them of `check`, `checkStatus` and `checkInSteps`. */
  validate?(
    object: ApiObject,
    old: ApiObject | undefined,
    context: StrategyContext,
  ): readonly FieldError[]
  validateInSteps?(
    object: LooseObject<T>,
    old: LooseObject<T> | undefined,
    context: StrategyContext,
  ): Steps<readonly FieldError[]>
}
