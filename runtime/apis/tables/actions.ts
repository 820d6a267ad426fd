import { binding } from '../core/pod/binding.ts'
import type { Action } from '../strategy/action.ts'

/** The actions of subresources, by the names that schema files use. */
export const actions: ReadonlyMap<string, Action> = new Map([['bind', binding]])
