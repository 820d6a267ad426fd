import {
  type Environment,
  type Field,
  ObjectView,
  type Result,
  types,
  withVariables,
} from '../cel/cel.ts'
import { type CompiledExpression, compileExpression } from './compile-expression.ts'

/** A named expression that others can use as `variables.<name>`. */
export interface Variable {
  readonly name: string
  readonly expression: string
}

/** A variable whose expression is compiled. */
export interface CompiledVariable {
  readonly name: string
  readonly compiled: CompiledExpression
}

/** Variables in order: each sees those before it. */
export interface Composition {
  readonly variables: readonly CompiledVariable[]
  /** An environment with all of them. */
  within(environment: Environment): Environment
}

/**
 * Compiles variables. One that does not compile has no type, so that the expressions which use it are not blamed for it.
 * What `variables` is bound to holds a function for each name; it is called when the expression reads the variable.
 */
export function compileVariables(given: readonly Variable[], base: Environment): Composition {
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
  const variables = given.map(({ name, expression }) => {
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

/** What others know of a variable's type: plain values, lists and maps of them; of all else, nothing. */
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
