/** The syntax tree of an expression. */
import type { Value } from '../values/values.ts'

/**
 * A node of the tree. Macros stay what they are (`Fold`, `Bind`): checker, planner and cost estimate each know them,
 * and charge what their expansion into comprehensions would cost.
 *
 * Every node has a number, dense from 0 and unique in its tree, so that what is found out about nodes can be kept in
 * arrays, and the range of the source that it was parsed from.
 */
export type Expr = Literal | Ident | Select | Call | ListExpr | MapExpr | StructExpr | Fold | Bind

/** What every node has. Offsets are in UTF-16 units of the source. */
export interface NodeBase {
  readonly id: number
  readonly start: number
  readonly end: number
  /** Where errors about the node point: its operator, dot or opening parenthesis; else its start. */
  readonly at: number
}

/** A constant. */
export interface Literal extends NodeBase {
  readonly is: 'literal'
  readonly value: Value
}

/** A name. With a leading dot (`rooted`) it is looked up in the root scope only. */
export interface Ident extends NodeBase {
  readonly is: 'ident'
  readonly name: string
  readonly rooted: boolean
}

/** `operand.field`. `test`: inside `has`, the value is whether the field is set. `optional`: `operand.?field`. */
export interface Select extends NodeBase {
  readonly is: 'select'
  readonly operand: Expr
  readonly field: string
  readonly test: boolean
  readonly optional: boolean
}

/**
 * A call of a function, a method (with a target) or an operator. Operators have the names of the specification: `_+_`,
 * `_?_:_`, `@in`, `_[_]`, `_[?_]`, `!_`, `-_`.
 */
export interface Call extends NodeBase {
  readonly is: 'call'
  readonly name: string
  readonly target: Expr | undefined
  readonly args: readonly Expr[]
}

/** `[a, ?b]`. */
export interface ListExpr extends NodeBase {
  readonly is: 'list'
  readonly items: readonly Expr[]
  /** Which items are optional: `[?b]`. */
  readonly optional: readonly boolean[]
}

/** An entry `key: value` or `?key: value`. */
export interface MapEntry extends NodeBase {
  readonly key: Expr
  readonly value: Expr
  readonly optional: boolean
}

/** `{k: v}`. */
export interface MapExpr extends NodeBase {
  readonly is: 'map'
  readonly entries: readonly MapEntry[]
}

/** `Name{field: value}`. */
export interface StructExpr extends NodeBase {
  readonly is: 'struct'
  readonly name: string
  readonly rooted: boolean
  readonly fields: readonly StructField[]
}

/** A field of a struct literal. */
export interface StructField extends NodeBase {
  readonly name: string
  readonly value: Expr
  readonly optional: boolean
}

/** The macros that walk a list or a map. */
export type FoldMacro =
  | 'all'
  | 'exists'
  | 'existsOne'
  | 'map'
  | 'filter'
  | 'transformList'
  | 'transformMap'
  | 'transformMapEntry'

/**
 * `range.all(x, body)` and its like. With `second` it is a two-variable macro: the first variable is the index or key,
 * the second the value. `condition` is the filter of the three-argument `map` and of the transforms.
 */
export interface Fold extends NodeBase {
  readonly is: 'fold'
  readonly macro: FoldMacro
  readonly range: Expr
  readonly variable: string
  readonly second: string | undefined
  readonly condition: Expr | undefined
  readonly body: Expr
}

/**
 * One variable bound while `body` is evaluated: `cel.bind(x, value, body)`; or, by `over`, the value inside an
 * optional: `value.optMap(x, body)`, `value.optFlatMap(x, body)`.
 */
export interface Bind extends NodeBase {
  readonly is: 'bind'
  readonly over: 'value' | 'optMap' | 'optFlatMap'
  readonly variable: string
  readonly value: Expr
  readonly body: Expr
}
