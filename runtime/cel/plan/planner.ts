/** Turns a checked expression into closures, one for each node. */
import type { Environment } from '../check/environment.ts'
import type { Checked } from '../check/references.ts'
import type { Call, Expr } from '../syntax/ast.ts'
import type { CompileError } from '../syntax/source.ts'
import type { Type } from '../types/types.ts'
import type { Value } from '../values/values.ts'
import { accessCode, isAccess } from './access.ts'
import { callCode } from './calls.ts'
import { constantOf } from './constants.ts'
import { bindCode, foldCode } from './folds.ts'
import { type Code, constantCode, type Slot } from './frame.ts'
import { listCode, mapCode } from './literals.ts'
import { inherited } from './members.ts'
import type { Planner } from './node-planner.ts'
import { operatorCode } from './operators.ts'

/** An expression as code, with the variables of the environment that it reads by index. */
export interface Plan {
  readonly code: Code
  readonly slots: readonly Slot[]
  /** Why the expression can never be evaluated: a constant that is no value of its type, or no pattern. */
  readonly refused: readonly CompileError[]
}

/** The plan of an expression that was checked without errors. */
export function plan(checked: Checked, environment: Environment): Plan {
  const slots: Slot[] = []
  const refused: CompileError[] = []
  const indexes = new Map<string, number>()
  const constants = new Map<number, Value | undefined>()
  const planner: Planner = {
    code: (expr) => nodeCode(expr, planner),
    constant: (expr) => {
      if (!constants.has(expr.id)) constants.set(expr.id, constantOf(expr, planner))
      return constants.get(expr.id)
    },
    refuse: (error) => void refused.push(error),
    typeOf: ({ id }) => checked.types[id] as Type,
    reference: ({ id }) => checked.references[id],
    slot: ({ id }) => checked.slots[id] ?? 0,
    variable: (name) => {
      const known = indexes.get(name)
      if (known !== undefined) return known
      indexes.set(name, slots.length)
      const careful = inherited.has(name)
      slots.push({ name, read: environment.variables.get(name)?.read, careful })
      return slots.length - 1
    },
  }
  return { code: planner.code(checked.expr), slots, refused }
}

/**
 * Paths come first, because their price depends on where they stand; macros and operators have
 * code of their own, everything else is a call.
 */
function nodeCode(expr: Expr, planner: Planner): Code {
  if (isAccess(expr, planner)) return accessCode(expr, planner, false)
  const value = planner.constant(expr)
  if (value !== undefined) return constantCode(value)
  switch (expr.is) {
    case 'list':
      return listCode(expr, planner)
    case 'map':
      return mapCode(expr, planner)
    case 'fold':
      return foldCode(expr, planner)
    case 'bind':
      return bindCode(expr, planner)
    default:
      return operatorCode(expr as Call, planner) ?? callCode(expr as Call, planner)
  }
}
