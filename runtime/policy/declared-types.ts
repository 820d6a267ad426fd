/** Types of objects whose fields are written down here, not in a schema: a request, the namespace of one. */
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

/** A declared place that says how raw values become values. */
export interface DeclaredType {
  readonly type: types.Type
  readonly read: (raw: unknown) => Result
}

/** A text. */
export const stringType: DeclaredType = { type: types.stringType, read: adopt }
/** True or false. */
export const boolType: DeclaredType = { type: types.boolType, read: adopt }
/** A whole number. */
export const intType: DeclaredType = { type: types.intType, read: adopt }
/** A value of which nothing is known before it is there. */
export const dynType: DeclaredType = { type: types.dynType, read: adopt }

/** A point in time, kept as text. */
export const timestampType: DeclaredType = createTimestampType()

function createTimestampType(): DeclaredType {
  const schema = readSchema({ type: 'string', format: 'date-time' }, { prefixes: [] })
  const place = schemaType(schema, 'time')
  invariant(place !== undefined, 'a time has a type')
  return place
}

/** A list of such values. */
export function listType({ type, read }: DeclaredType): DeclaredType {
  return {
    type: types.listType(type),
    read: (raw) => new ListView(raw as readonly unknown[], read),
  }
}

/** Such values by texts. */
export function mapType({ type, read }: DeclaredType): DeclaredType {
  return {
    type: types.mapType(types.stringType, type),
    read: (raw) => new MapView(raw as Readonly<Record<string, unknown>>, read),
  }
}

/** An object of these fields; null where there is none. */
export function objectType(
  name: string,
  places: Readonly<Record<string, DeclaredType>>,
): DeclaredType {
  const fields = (): readonly Field[] =>
    Object.entries(places).map(([one, place]) => ({ ...place, name: one, property: one }))
  const type = types.objectType(name, fields)
  return {
    type,
    read: (raw) =>
      raw === null ? null : new ObjectView(raw as Readonly<Record<string, unknown>>, type),
  }
}
