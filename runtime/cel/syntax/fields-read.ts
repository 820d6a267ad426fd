/** The fields that an expression reads, by its text alone: they show where in an object a rule failed. */
import type { Expr, Select } from './ast.ts'
import { unescapeName } from './escape.ts'
import { parse } from './parser.ts'

/** The fields of a variable that an expression names, in its order: `a.b` of `self.a.b`, as far as names lead. */
export function fieldsReadOf(expr: Expr, variable: string): readonly string[] {
  return readsIn(expr, variable).paths.map((path) => path.join('.'))
}

/**
 * The first steps of the fields that an expression names of these variables; undefined if it names a variable without a
 * field, so that it may read any, and for a text that is no expression.
 */
export function firstFieldsRead(
  source: string,
  variables: readonly string[],
): readonly string[] | undefined {
  const { expr } = parse(source, everyMacro)
  if (expr === undefined) return undefined
  const reads = variables.map((variable) => readsIn(expr, variable))
  if (reads.some(({ bare }) => bare)) return undefined
  return [...new Set(reads.flatMap(({ paths }) => paths.flatMap(([first]) => first ?? [])))]
}

/** An expression that uses macros that it may not use does not compile anyway. */
const everyMacro = { optionals: true, twoVariables: true, bind: true }

/** The paths below a variable, and whether the variable is named alone. */
function readsIn(expr: Expr, variable: string) {
  const paths = new Map<string, readonly string[]>()
  let bare = false
  const visit = (part: unknown): void => {
    if (Array.isArray(part)) part.forEach(visit)
    if (!isNode(part)) return
    bare ||= 'is' in part && part.is === 'ident' && 'name' in part && part.name === variable
    const path = isSelect(part) ? pathOf(part, variable) : undefined
    if (path === undefined) Object.values(part).forEach(visit)
    else paths.set(path.join('.'), path)
  }
  visit(expr)
  return { paths: [...paths.values()], bare }
}

function pathOf({ operand, field }: Select, variable: string): readonly string[] | undefined {
  const name = unescapeName(field) ?? field
  if (operand.is === 'ident') return operand.name === variable ? [name] : undefined
  const before = operand.is === 'select' ? pathOf(operand, variable) : undefined
  return before && [...before, name]
}

/** Nodes have a position in the source, and so have entries of maps and structs; values of literals do not. */
function isNode(part: unknown): part is object {
  return typeof part === 'object' && part !== null && 'start' in part && 'end' in part
}

function isSelect(part: object): part is Select {
  return 'is' in part && part.is === 'select'
}
