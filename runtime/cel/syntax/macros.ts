/** Macros: calls that the parser turns into nodes of their own. */
import type { Call, Expr, FoldMacro, Ident } from './ast.ts'

/** The macros and the syntax beyond the core that an environment allows. */
export interface MacroSet {
  /** `.?`, `[?`, `{?`, `optMap`, `optFlatMap`. */
  readonly optionals: boolean
  /** `all(i, v, ...)` and its like, `transformList`, `transformMap`, `transformMapEntry`. */
  readonly twoVariables: boolean
  /** `cel.bind`. */
  readonly bind: boolean
}

/** Where macros report that they are used wrongly. */
export interface SyntaxErrors {
  /** Ends parsing with an error at a range of the source. */
  fail(message: string, start: number, end: number): never
}

/** What a call means if it is a macro by its name and number of arguments; undefined for a plain call. */
export function expandMacro(call: Call, errors: SyntaxErrors, set: MacroSet): Expr | undefined {
  const { name, target, args } = call
  if (target === undefined)
    return name === 'has' && args.length === 1 ? has(call, errors) : undefined
  if (set.bind && name === 'bind' && args.length === 3 && isNamed(target, 'cel')) {
    return bind(call, errors, 'value')
  }
  if (set.optionals && args.length === 2 && (name === 'optMap' || name === 'optFlatMap')) {
    return bind(call, errors, name)
  }
  const shape = one(call) ?? (set.twoVariables ? two(call) : undefined)
  return shape === undefined ? undefined : fold(call, errors, shape)
}

/** A macro that walks a range: its variables, and whether it has a condition. */
interface Shape {
  readonly macro: FoldMacro
  readonly variables: 1 | 2
  readonly condition: boolean
}

/** The macros with one variable. */
function one({ name, args }: Call): Shape | undefined {
  const two = args.length === 2
  switch (name) {
    case 'all':
    case 'exists':
    case 'filter':
      return two ? { macro: name, variables: 1, condition: false } : undefined
    case 'exists_one':
      return two ? { macro: 'existsOne', variables: 1, condition: false } : undefined
    case 'map':
      return two || args.length === 3 ? { macro: name, variables: 1, condition: !two } : undefined
    default:
      return undefined
  }
}

/** The macros with two variables, and the name that came with them. */
function two({ name, args }: Call): Shape | undefined {
  const three = args.length === 3
  switch (name) {
    case 'all':
    case 'exists':
      return three ? { macro: name, variables: 2, condition: false } : undefined
    case 'existsOne':
      if (args.length === 2) return { macro: name, variables: 1, condition: false }
      return three ? { macro: name, variables: 2, condition: false } : undefined
    case 'exists_one':
      return three ? { macro: 'existsOne', variables: 2, condition: false } : undefined
    case 'transformList':
    case 'transformMap':
    case 'transformMapEntry':
      return three || args.length === 4
        ? { macro: name, variables: 2, condition: !three }
        : undefined
    default:
      return undefined
  }
}

/** `has(e.f)`: the selection becomes a test, whose errors are told of the call. */
function has({ args, start, end, at }: Call, errors: SyntaxErrors): Expr {
  const [arg] = args
  if (arg?.is === 'select' && !arg.test && !arg.optional) {
    return { ...arg, start, end, at, test: true }
  }
  return errors.fail('invalid argument to has() macro', arg?.at ?? start, arg?.end ?? end)
}

function fold(
  call: Call,
  errors: SyntaxErrors,
  { macro, variables, condition }: Shape,
): Expr | undefined {
  const { id, start, end, at, target: range, args } = call
  if (range === undefined) return undefined
  const variable = nameOf(args[0], errors)
  const second = variables === 2 ? nameOf(args[1], errors) : undefined
  if (second === variable) {
    const place = args[1] ?? call
    errors.fail(`duplicate variable name: ${variable}`, place.start, place.end)
  }
  const body = args[args.length - 1]
  if (body === undefined) return undefined
  const filter = condition ? args[args.length - 2] : undefined
  return { is: 'fold', id, start, end, at, macro, range, variable, second, condition: filter, body }
}

function bind(
  call: Call,
  errors: SyntaxErrors,
  over: 'value' | 'optMap' | 'optFlatMap',
): Expr | undefined {
  const { id, start, end, at, target, args } = call
  const variable = nameOf(args[0], errors)
  const value = over === 'value' ? args[1] : target
  const body = args[args.length - 1]
  if (value === undefined || body === undefined) return undefined
  return { is: 'bind', id, start, end, at, over, variable, value, body }
}

/** The name of a macro's variable, which must be a simple one. */
function nameOf(expr: Expr | undefined, errors: SyntaxErrors): string {
  if (expr?.is === 'ident' && !expr.rooted) {
    if (expr.name !== '__result__' && expr.name !== '@result') return expr.name
    return errors.fail('iteration variable overwrites accumulator variable', expr.start, expr.end)
  }
  return errors.fail('argument must be a simple name', expr?.at ?? 0, expr?.end ?? 0)
}

function isNamed(expr: Expr, name: string): expr is Ident {
  return expr.is === 'ident' && expr.name === name
}
