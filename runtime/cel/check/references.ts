/** What the checker finds out, for planner and estimate. */

import type { Overload } from '../functions/functions.ts'
import type { Expr } from '../syntax/ast.ts'
import type { CompileError } from '../syntax/source.ts'
import type { Type } from '../types/types.ts'
import type { Value } from '../values/values.ts'

/** What a node's name refers to. `member`: the target of a call is its first argument, not part of its name. */
export type Reference =
  | { readonly is: 'variable'; readonly name: string }
  | { readonly is: 'local'; readonly slot: number }
  | { readonly is: 'type'; readonly type: Type }
  /** The overloads that may be meant. `member`: the target is the first argument, not part of the name. */
  | { readonly is: 'function'; readonly overloads: readonly Overload[]; readonly member: boolean }

/** A checked tree: types and references by the numbers of nodes, and the slots of variables that macros bind. */
export interface Checked {
  readonly expr: Expr
  readonly types: readonly Type[]
  readonly references: readonly (Reference | undefined)[]
  readonly slots: readonly (number | undefined)[]
  readonly errors: readonly CompileError[]
  /** The number of errors beyond those that are reported. */
  readonly furtherErrors: number
}

/** The value of a literal; undefined for any other node. */
export function constant(expr: Expr): Value | undefined {
  return expr.is === 'literal' ? expr.value : undefined
}

/** A chain of plain selections from a name: `a.b.c`. */
export function pathOf(expr: Expr): { name: string; first: string; rooted: boolean } | undefined {
  if (expr.is === 'ident') return { name: expr.name, first: expr.name, rooted: expr.rooted }
  if (expr.is !== 'select' || expr.test || expr.optional) return undefined
  const path = pathOf(expr.operand)
  return path === undefined ? undefined : { ...path, name: `${path.name}.${expr.field}` }
}
