/** CEL types that are declared here and not by a schema: those of a request and of its namespace. */
import {
  adopt,
  type Field,
  ListView,
  MapView,
  ObjectView,
  type Result,
  readSchema,
  schemaType,
  types,
} from '../cel/cel.ts'
import { invariant } from '../kernel/errors/invariant.ts'

/** A CEL type, and how JSON is read as a value of it. */
export interface DeclaredType {
  readonly type: types.Type
  readonly read: (json: unknown) => Result
}

/** `string` */
export const stringType: DeclaredType = { type: types.stringType, read: adopt }
/** `bool` */
export const boolType: DeclaredType = { type: types.boolType, read: adopt }
/** `int` */
export const intType: DeclaredType = { type: types.intType, read: adopt }
/** `dyn`: known only when the expression is evaluated. */
export const dynType: DeclaredType = { type: types.dynType, read: adopt }
/** `timestamp`, in JSON a string of the format date-time. */
export const timestampType: DeclaredType = createTimestampType()

function createTimestampType(): DeclaredType {
  const schema = readSchema({ type: 'string', format: 'date-time' }, { prefixes: [] })
  const timestamp = schemaType(schema, 'time')
  invariant(timestamp !== undefined, 'a time has a type')
  return timestamp
}

/** `list(element)` */
export function listType({ type, read }: DeclaredType): DeclaredType {
  return {
    type: types.listType(type),
    read: (json) => new ListView(json as readonly unknown[], read),
  }
}

/** `map(string, value)` */
export function mapType({ type, read }: DeclaredType): DeclaredType {
  return {
    type: types.mapType(types.stringType, type),
    read: (json) => new MapView(json as Readonly<Record<string, unknown>>, read),
  }
}

/**
 * An object type with these fields; its values may be null. Fields that are not listed do not exist
 * for the type check. They are listed when the type is asked for them.
 */
export function objectType(
  name: string,
  fieldTypes: Readonly<Record<string, DeclaredType>>,
): DeclaredType {
  const fields = (): readonly Field[] =>
    Object.entries(fieldTypes).map(([field, type]) => ({ ...type, name: field, property: field }))
  const type = types.objectType(name, fields)
  return {
    type,
    read: (json) =>
      json === null ? null : new ObjectView(json as Readonly<Record<string, unknown>>, type),
  }
}
