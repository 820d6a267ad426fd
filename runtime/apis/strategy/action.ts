import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import type { StrategyContext } from './context.ts'

/** What a subresource does that neither shows nor writes a part of its object. */
export interface Action {
  /** Every error of the body that its schema cannot state. */
  readonly validate: (body: ApiObject) => readonly FieldError[]
  /** The object as the action leaves it, or why it cannot be done as things are. */
  readonly apply: (
    object: ApiObject,
    body: ApiObject,
    context: StrategyContext,
  ) => ApiObject | string
}
