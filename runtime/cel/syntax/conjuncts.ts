/** The parts of an expression that all have to hold. */
import type { Expr } from './ast.ts'
import { parse } from './parser.ts'

/** A part of an expression, by offsets in its source. */
export interface Conjunct {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** An expression that uses macros that it may not use does not compile anyway. */
const everyMacro = { optionals: true, twoVariables: true, bind: true }

/** The operands of the outermost `&&`, in their order; the whole of an expression that has none, and none of a text that is no expression. */
export function conjunctsOf(source: string): readonly Conjunct[] {
  const { expr } = parse(source, everyMacro)
  if (expr === undefined) return []
  return operands(expr).map(({ start, end }) => ({ text: source.slice(start, end), start, end }))
}

function operands(expr: Expr): readonly Expr[] {
  return expr.is === 'call' && expr.name === '_&&_' ? expr.args.flatMap(operands) : [expr]
}
