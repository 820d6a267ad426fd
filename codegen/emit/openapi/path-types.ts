/**
 * The types of the published documents' paths, operations and schemas, in the form that openapi-typescript gives them:
 * generating from a served document with that package gives the same bytes, which `test/generated/path-types.test.ts`
 * holds. Made on demand (`orch generate --paths`), as text: openapi-typescript loads a compiler and takes longer than the
 * whole generator.
 */
import type { TextArtefact } from '../artefact.ts'
import { type Document, documentFileName } from './documents.ts'
import type { Schema } from './schemas.ts'
import { block, comment, propertyName, typeText } from './type-text.ts'

/** The module of a document's path types. */
export function pathTypesOf({ key: name, from, document }: Document): TextArtefact {
  const text = pathTypes(document as OpenApi)
  return { is: 'text', path: `openapi/paths/${documentFileName(name)}.ts`, from, text }
}

/** What is read of a document. */
interface OpenApi {
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

type PathItem = Readonly<Record<string, unknown>> & { readonly parameters?: readonly Parameter[] }

interface Parameter extends Schema {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: Schema
}

interface Operation extends Schema {
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, Schema & { readonly content: Content }>>
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>

/** The methods in openapi-typescript's order, which lists absent ones too. */
const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']
/** The sections of components that our documents do not have. */
const nothing = ['responses', 'parameters', 'requestBodies', 'headers', 'pathItems']

/**
 * Five declarations, in this order:
 *
 *   export interface paths { ... }
 *   export type webhooks = Record<string, never>;
 */
function pathTypes({ paths, components }: OpenApi): string {
  const items = Object.entries(paths)
  const operations = items.flatMap(([, item]) =>
    operationsOf(item).map((one) => operationText(one, item.parameters ?? [])),
  )
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `${comment(schema, 2)}${propertyName(name)}: ${typeText(schema, 2)};`,
  )
  const parts = [`schemas: ${block(schemas, 1)};`, ...nothing.map((name) => `${name}: never;`)]
  return [
    `export interface paths ${block(
      items.map(([path, item]) => pathText(path, item)),
      0,
    )}`,
    'export type webhooks = Record<string, never>;',
    `export interface components ${block(parts, 0)}`,
    'export type $defs = Record<string, never>;',
    `export interface operations ${block(operations, 0)}`,
    '',
  ].join('\n')
}

/** The operations of a path, in the order in which they are written there. */
function operationsOf(item: PathItem): readonly Operation[] {
  const given = methods.filter((method) => method in item)
  return given.map((method) => item[method] as Operation)
}

/**
 * A path lists every method, the missing ones as `?: never`: assigning them is then a type error.
 */
function pathText(path: string, item: PathItem): string {
  const lines = methods.map((method) => {
    const operation = item[method] as Operation | undefined
    if (operation === undefined) return `${method}?: never;`
    return `${comment(operation, 2)}${method}: operations[${JSON.stringify(operation.operationId)}];`
  })
  return `${propertyName(path)}: ${block([parametersText(item.parameters ?? [], 2), ...lines], 1)};`
}

/** An operation repeats the parameters of its path: openapi-typescript resolves them there, too. */
function operationText(operation: Operation, inherited: readonly Parameter[]): string {
  const { requestBody: body, responses } = operation
  const parameters = [...inherited, ...(operation.parameters ?? [])]
  const request =
    body === undefined
      ? 'requestBody?: never;'
      : `requestBody${body.required ? '' : '?'}: ${block([contentText(body.content, 3)], 2)};`
  const answers = Object.entries(responses).map(([status, response]) => {
    const headers = `headers: ${block(['[name: string]: unknown;'], 4)};`
    const parts = [headers, contentText(response.content, 4)]
    return `${comment(response, 3)}${status}: ${block(parts, 3)};`
  })
  const parts = [parametersText(parameters, 2), request, `responses: ${block(answers, 2)};`]
  return `${propertyName(operation.operationId)}: ${block(parts, 1)};`
}

function contentText(content: Content | undefined, depth: number): string {
  if (content === undefined) return 'content?: never;'
  const lines = Object.entries(content).map(
    ([media, { schema }]) => `${propertyName(media)}: ${typeText(schema, depth + 1)};`,
  )
  return `content: ${block(lines, depth)};`
}

/** All four places are listed. A place is optional if none of its parameters is required. */
function parametersText(parameters: readonly Parameter[], depth: number): string {
  const places = ['query', 'header', 'path', 'cookie'].map((place) => {
    const here = parameters.filter((one) => one.in === place)
    if (here.length === 0) return `${place}?: never;`
    const lines = here.map((one) => {
      const optional = one.required ? '' : '?'
      const type = typeText(one.schema, depth + 2)
      return `${comment(one, depth + 2)}${propertyName(one.name)}${optional}: ${type};`
    })
    const optional = here.some(({ required }) => required) ? '' : '?'
    return `${place}${optional}: ${block(lines, depth + 1)};`
  })
  return `parameters: ${block(places, depth)};`
}
