/** Resolution of overloads. */
import type { Overload } from '../functions/functions.ts'
import type { Type } from '../types/types.ts'
import * as types from '../types/types.ts'
import type { Substitution } from './substitution.ts'
import { freshen, isGeneric, sameType } from './type-relations.ts'

/** The overloads that the arguments fit, and the type of the call: dyn if they disagree, undefined if none fits. */
export interface Resolution {
  readonly fitting: readonly Overload[]
  readonly result: Type | undefined
}

/**
 * Finds the overloads that take these arguments; `member`: the call is one of a method. `next` numbers the type
 * variables of each overload that is tried.
 */
export function resolve(
  overloads: readonly Overload[],
  args: readonly Type[],
  member: boolean,
  substitution: Substitution,
  next: () => number,
): Resolution {
  const fitting: Overload[] = []
  let result: Type | undefined
  for (const overload of overloads) {
    if (overload.receiver !== member || overload.args.length !== args.length) continue
    const number = next()
    if (!substitution.assignAll(instance(overload.args, number), args)) continue
    fitting.push(overload)
    const type = substitution.apply(freshen(overload.result, number), false)
    result = result === undefined || sameType(result, type) ? type : types.dynType
  }
  return { fitting, result }
}

/** The argument types with type variables in place of parameters. */
function instance(args: readonly Type[], number: number): readonly Type[] {
  return args.some(isGeneric) ? args.map((type) => freshen(type, number)) : args
}
