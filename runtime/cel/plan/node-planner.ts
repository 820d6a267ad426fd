/** What the code of a single node needs to know of the whole expression. */
import type { Reference } from '../check/references.ts'
import type { Bind, Expr, Fold } from '../syntax/ast.ts'
import type { CompileError } from '../syntax/source.ts'
import type { Type } from '../types/types.ts'
import type { Value } from '../values/values.ts'
import type { Code } from './frame.ts'

/** Access to the checked tree, given to the code of each node. */
export interface Planner {
  /** Plans a node below. */
  code(expr: Expr): Code
  /** The value that a node always has; undefined if it has none before it is evaluated. */
  constant(expr: Expr): Value | undefined
  /** Notes why the expression can never be evaluated. */
  refuse(error: CompileError): void
  /** The checked type of a node. */
  typeOf(expr: Expr): Type
  /** What a name or call refers to; undefined where the checker found nothing. */
  reference(expr: Pick<Expr, 'id'>): Reference | undefined
  /** The index of a variable of the environment in the frame. The first call for a name adds it. */
  variable(name: string): number
  /** The index of a macro's first variable among the frame's locals. */
  slot(binder: Fold | Bind): number
}
