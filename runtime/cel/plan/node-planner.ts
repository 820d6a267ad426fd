import type { Reference } from '../check/references.ts'
import type { Bind, Expr, Fold } from '../syntax/ast.ts'
import type { Type } from '../types/types.ts'
import type { Code } from './frame.ts'

/** What the code of one node needs of the whole expression. */
export interface Planner {
  code(expr: Expr): Code
  typeOf(expr: Expr): Type
  reference(expr: Expr): Reference | undefined
  /** The index of a variable in the frame. */
  variable(name: string): number
  /** The index of the first variable that a macro binds. */
  slot(binder: Fold | Bind): number
}
