import type { Variable } from '../../generated/apis/admissionregistration/v1beta1/policy.ts'
import {
  type Environment,
  type Field,
  ObjectView,
  type Result,
  types,
  withVariables,
} from '../cel/cel.ts'
import { type CompiledExpression, compileExpression } from './compile-expression.ts'

export type { Variable }

/** A composited variable with its compiled expression. */
export interface CompiledVariable {
  readonly name: string
  readonly compiled: CompiledExpression
}

/** Compiled variables, in order: each may read those before it. */
export interface Composition {
  readonly variables: readonly CompiledVariable[]
  /** The environment with the variable `variables`. */
  within(environment: Environment): Environment
}

/**
 * Compiles the variables of a policy. One with a compilation error has the type `dyn`, so that the
 * error is not reported again for each expression that reads it. `variables` is bound to an object
 * with a function for each name, which is called when an expression reads the variable. A variable
 * that reads a later one, or itself, does not compile: its field is not there yet. Fields are
 * shared with every environment that `within` makes.
 */
export function compileVariables(declared: readonly Variable[], base: Environment): Composition {
  const fields = new Map<string, Field>()
  const type: types.ObjectType = {
    kind: 'object',
    name: 'variables',
    field: (name) => fields.get(name),
    fields: () => [...fields.keys()],
  }
  const read = objectReader(type)
  const within = (one: Environment) => withVariables(one, [{ name: 'variables', type, read }])
  const environment = within(base)
  const variables = declared.map(({ name, expression }) => {
    const compiled = compileExpression(expression, 'variable', environment)
    const found = compiled.program?.type ?? types.dynType
    fields.set(name, { name, property: name, type: visibleType(found), read: callThunk })
    return { name, compiled }
  })
  return { variables, within }
}

function objectReader(type: types.ObjectType): (raw: unknown) => Result {
  return (raw) => new ObjectView(raw as Readonly<Record<string, unknown>>, type)
}

function callThunk(raw: unknown): Result {
  return (raw as () => Result)()
}

/**
 * The type of a variable for other expressions: scalars, lists and maps of them; everything else is
 * `dyn`. Unknown fields of `dyn` pass the type check (A2.49).
 */
function visibleType(type: types.Type): types.Type {
  switch (type.kind) {
    case 'list':
      return types.listType(visibleType(type.element))
    case 'map':
      return types.mapType(visibleType(type.key), visibleType(type.value))
    case 'object':
    case 'opaque':
    case 'optional':
    case 'type':
    case 'parameter':
    case 'error':
      return types.dynType
    default:
      return type
  }
}
