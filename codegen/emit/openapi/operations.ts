/** One operation of a path: its parameters, body and responses, and the extensions by which clients find it. */
import type { KindFacts } from '../../schema/ir.ts'
import { groupName } from '../code/names.ts'
import type { Model } from '../model/model.ts'
import { messageOf } from '../scheme/protobuf.ts'
import { type OperationVerb, parametersOf } from './parameters.ts'
import { extensions, identity, refTo, type Schema, schemaName } from './schemas.ts'

/** What an operation is made from. */
export interface Operation {
  readonly model: Model
  readonly kind: KindFacts
  /** Name of the component schema of the object. */
  readonly schema: string
  readonly verb: OperationVerb
  readonly id: string
}

/** The verbs as `x-…-action` names them. */
const actions: Readonly<Record<OperationVerb, string>> = {
  create: 'post',
  delete: 'delete',
  deletecollection: 'deletecollection',
  get: 'get',
  list: 'list',
  patch: 'patch',
  update: 'put',
}

/** How descriptions begin; the kind's name follows. */
const texts: Readonly<Record<OperationVerb, string>> = {
  create: 'creates an object of kind',
  delete: 'deletes an object of kind',
  deletecollection: 'deletes the matching objects of kind',
  get: 'reads the object of kind',
  list: 'lists or watches objects of kind',
  patch: 'changes parts of the object of kind',
  update: 'replaces the object of kind',
}

/**
 * The operation as a document states it.
 * Both extensions are what typed clients find operations by: `x-kubernetes-action: list` together
 * with the group, version and kind of the object that is sent or returned.
 */
export function operation(facts: Operation): Schema {
  const { model, kind, verb } = facts
  const body = bodyOf(facts)
  return {
    tags: [`${groupName(kind.group)}_${kind.version}`],
    description: `${texts[verb]} ${kind.kind}`,
    operationId: facts.id,
    parameters: parametersOf(verb, model),
    ...(body !== undefined && { requestBody: body }),
    responses: responsesOf(facts),
    ...extensions(model, { action: actions[verb], 'group-version-kind': identity(kind) }),
  }
}

/**
 * The body of a delete is optional, as are all its options; a body is accepted in every encoding
 * of objects.
 */
function bodyOf({ verb, schema, model }: Operation): Schema | undefined {
  switch (verb) {
    case 'create':
    case 'update':
      return { required: true, content: { '*/*': { schema: refTo(schema) } } }
    case 'patch':
      return { required: true, content: Object.fromEntries(patches) }
    case 'delete':
    case 'deletecollection':
      return metaBody('DeleteOptions', model)
    default:
      return undefined
  }
}

/** The media types of patches, each with its loosest schema. */
const patches = [
  ['application/apply-patch+yaml', { schema: { type: 'object' } }],
  ['application/json-patch+json', { schema: { type: 'array', items: { type: 'object' } } }],
  ['application/merge-patch+json', { schema: { type: 'object' } }],
  ['application/strategic-merge-patch+json', { schema: { type: 'object' } }],
] as const

/** A body that may be left out: its schema is one of the machinery's types. */
function metaBody(name: string, model: Model): Schema | undefined {
  const schema = meta(name, model)
  return schema && { content: { '*/*': { schema } } }
}

function meta(name: string, model: Model): Schema | undefined {
  const type = model.metaType(name)
  return type && refTo(schemaName(type, model))
}

/**
 * The responses of a verb, by status code.
 * Only success is described. An update or patch answers 201 where it created the object; a delete
 * answers 202 where the object is not gone yet.
 */
function responsesOf(facts: Operation): Schema {
  const { verb, kind, model } = facts
  const object = refTo(facts.schema)
  const status = meta('Status', model) ?? { type: 'object' }
  const answer = answers(facts)
  switch (verb) {
    case 'list':
      return { 200: answer('OK', refTo(`${facts.schema}List`), true) }
    case 'create':
      return { 200: answer('OK', object), 201: answer('Created', object) }
    case 'update':
    case 'patch':
      return { 200: answer('OK', object), 201: answer('Created', object) }
    case 'delete': {
      const schema = kind.deleteReturns === 'Object' ? object : status
      return { 200: answer('OK', schema), 202: answer('Accepted', schema) }
    }
    case 'deletecollection':
      return { 200: answer('OK', status) }
    case 'get':
      return { 200: answer('OK', object) }
  }
}

/**
 * Responses with a body, in each of the media types that the kind has.
 * A list can be watched: its response has the streaming forms of JSON and protobuf too. A kind
 * without a message has no binary form.
 */
function answers({ kind, model }: Operation) {
  const binary =
    messageOf(kind, model) === undefined
      ? []
      : [`application/vnd.${model.api.platform.vendor}.protobuf`]
  return (description: string, schema: Schema, watched = false): Schema => {
    const streams = ['application/json', ...binary].map((type) => `${type};stream=watch`)
    const media = ['application/json', 'application/yaml', ...binary, ...(watched ? streams : [])]
    return { description, content: Object.fromEntries(media.map((type) => [type, { schema }])) }
  }
}
