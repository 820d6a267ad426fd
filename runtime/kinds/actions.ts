/** What subresources do that neither show nor write a part of their object. */
import type { ApiObject } from '../kernel/object.ts'
import type { Finding } from '../kernel/read.ts'
import { binding } from './binding.ts'
import type { RuleContext } from './kinds.ts'

/** An action that changes its object. */
export interface Action {
  /** Everything wrong with the body that its schema cannot say. */
  readonly validate: (body: ApiObject) => readonly Finding[]
  /** The object as the action leaves it, or why it cannot be done as things are. */
  readonly apply: (object: ApiObject, body: ApiObject, context: RuleContext) => ApiObject | string
}

/** The actions, by the names that schema files use. */
export const actions: ReadonlyMap<string, Action> = new Map([['bind', binding]])
