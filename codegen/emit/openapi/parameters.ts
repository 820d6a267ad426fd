/** Query and path parameters; the former are described by the options types of the machinery (`ListOptions`). */
import type { Verb } from '../../../runtime/kernel/descriptors/kind.ts'
import type { Field } from '../../schema/named-type.ts'
import type { Model } from '../model/model.ts'
import type { Schema } from './schemas.ts'

/** The verbs that have an operation of their own: a watch is a list with a parameter. */
export type OperationVerb = Exclude<Verb, 'watch'>

/**
 * The type whose fields are the query parameters of a verb. Deleting a collection selects as a
 * list does.
 */
const optionTypes: Readonly<Record<OperationVerb, string>> = {
  create: 'CreateOptions',
  delete: 'DeleteOptions',
  deletecollection: 'ListOptions',
  get: 'GetOptions',
  list: 'ListOptions',
  patch: 'PatchOptions',
  update: 'UpdateOptions',
}

/** Fields of options types that only a body can carry. */
const bodyOnly = new Set(['preconditions'])
/** Verbs that take no options. */
const reads = new Set(['get'])

/**
 * The query parameters of a verb, sorted by name.
 * A tree without the machinery's types has `pretty` alone.
 */
export function parametersOf(verb: OperationVerb, model: Model): readonly Schema[] {
  if (reads.has(verb)) return [pretty]
  const found = model.metaType(optionTypes[verb])
  const fields = found?.is === 'struct' ? found.fields : []
  const parameters = fields
    .filter((field) => !bodyOnly.has(field.name))
    .map((field) => parameter(field))
  return [...parameters, pretty].sort((a, b) => (String(a.name) < String(b.name) ? -1 : 1))
}

/** The parameter that every operation takes. */
const pretty = {
  name: 'pretty',
  in: 'query',
  description: 'True asks for output that is indented for people.',
  schema: { type: 'string' },
}

/** Lists and structs of options travel as text, so their parameters are strings. */
function parameter(field: Field): Schema {
  const { type } = field
  const plain = type.is === 'integer' || type.is === 'boolean' ? type.is : 'string'
  return { name: field.name, in: 'query', description: field.description, schema: { type: plain } }
}

/** A variable of the path. */
export function pathParameter(name: 'name' | 'namespace'): Schema {
  const description = name === 'name' ? 'Name of the object.' : 'Namespace of the object.'
  return { name, in: 'path', description, required: true, schema: { type: 'string' } }
}
