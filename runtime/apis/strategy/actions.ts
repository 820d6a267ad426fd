/** What subresources do that neither show nor write a part of their object. */
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { binding } from '../core/pod/binding.ts'
import type { StrategyContext } from './context.ts'

/** An action that changes its object. */
export interface Action {
  /** Everything wrong with the body that its schema cannot say. */
  readonly validate: (body: ApiObject) => readonly FieldError[]
  /** The object as the action leaves it, or why it cannot be done as things are. */
  readonly apply: (
    object: ApiObject,
    body: ApiObject,
    context: StrategyContext,
  ) => ApiObject | string
}

/** The actions, by the names that schema files use. */
export const actions: ReadonlyMap<string, Action> = new Map([['bind', binding]])
