/** One operation of a path: its parameters, body and responses, and the extensions by which clients find it. */
import { queryParameter } from './parameters.ts'
import type { DocumentedKind, PathContext, Schema } from './path-context.ts'

/** What an operation does, as `x-…-action` names it. */
export type Action =
  | 'get'
  | 'list'
  | 'watch'
  | 'watchlist'
  | 'post'
  | 'put'
  | 'patch'
  | 'delete'
  | 'deletecollection'

/** What an operation is made from. */
export interface Operation {
  readonly kind: DocumentedKind
  readonly action: Action
  readonly id: string
  /** Group, version and kind of the body. */
  readonly body: { readonly group: string; readonly version: string; readonly kind: string }
  /** The component schemas of the object, and of a list of them. */
  readonly object: string
  readonly list: string
  /** The subresource that is meant. */
  readonly subresource?: string
}

/** The operation as a document states it. */
export function operationOf(operation: Operation, context: PathContext): Schema {
  const { kind, action, id, body } = operation
  const parameters = (context.parameters[action] ?? []).map(queryParameter)
  const requestBody = requestBodyOf(operation, context)
  const { group, version } = body
  return {
    tags: [tagOf(kind, context)],
    description: descriptionOf(operation),
    operationId: id,
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody !== undefined && { requestBody }),
    responses: responsesOf(operation, context),
    ...extensions(context, { action, 'group-version-kind': { group, version, kind: body.kind } }),
  }
}

/** `flowcontrolApiserver_v1`: the group without the platform's suffix, and the version. */
export function tagOf(
  { group, version }: Pick<DocumentedKind, 'group' | 'version'>,
  context: PathContext,
): string {
  return `${groupWord(group, context)}_${version}`
}

/** `rbacAuthorization` of `rbac.authorization.<api>`, `core` of the core group. */
export function groupWord(group: string, { platform }: Pick<PathContext, 'platform'>): string {
  const suffix = `.${platform.api}`
  const own = group.endsWith(suffix) ? group.slice(0, -suffix.length) : group
  return own === '' ? 'core' : camelCase(own)
}

/** Ids of operations must be identifiers in generated clients: `stable.example.com` becomes `stableExampleCom`. */
export function camelCase(text: string): string {
  return text.replace(/[^A-Za-z0-9]+([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

const verbTexts: Readonly<Record<Action, string>> = {
  get: 'Reads',
  list: 'Lists or watches objects of kind',
  watch: 'Watches changes of',
  watchlist: 'Watches changes of objects of kind',
  post: 'Creates',
  put: 'Replaces',
  patch: 'Changes parts of',
  delete: 'Deletes',
  deletecollection: 'Deletes the matching objects of kind',
}

function descriptionOf({ kind, action, subresource }: Operation): string {
  const many = action.endsWith('list') || action === 'deletecollection'
  const which = many ? kind.kind : `a ${kind.kind}`
  const part = subresource === undefined ? '' : `${subresource} of `
  const late = action.startsWith('watch')
    ? '; deprecated, list with the parameter watch instead'
    : ''
  return `${verbTexts[action]} ${part}${which}${late}.`
}

/** Keywords under the platform's prefix and the public one. */
export function extensions({ prefixes }: Pick<PathContext, 'prefixes'>, facts: Schema): Schema {
  const entries = Object.entries(facts).flatMap(([keyword, value]) =>
    prefixes.map((prefix) => [`x-${prefix}-${keyword}`, value]),
  )
  return Object.fromEntries(entries)
}

/** The media types of patches; custom kinds have no strategic one. */
const patches = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
] as const

function requestBodyOf({ action, kind, object }: Operation, context: PathContext) {
  const custom = kind.customResource !== undefined
  switch (action) {
    case 'post':
    case 'put':
      return {
        required: true,
        content: contentOf(custom ? [...objectMedia(kind, context)] : ['*/*'], object),
      }
    case 'patch': {
      const media = custom ? patches.filter((one) => !one.includes('strategic')) : patches
      return { required: true, content: contentOf(media, context.meta('Patch')) }
    }
    case 'delete':
    case 'deletecollection':
      return {
        content: contentOf(
          custom ? objectMedia(kind, context) : ['*/*'],
          context.meta('DeleteOptions'),
        ),
      }
    default:
      return undefined
  }
}

/** A kind without a message has no binary form. */
function objectMedia({ proto }: DocumentedKind, { platform }: PathContext): readonly string[] {
  const binary = proto === undefined ? [] : [`application/vnd.${platform.vendor}.protobuf`]
  return ['application/json', 'application/yaml', ...binary]
}

function contentOf(media: readonly string[], schema: string): Schema {
  const body = { schema: refTo(schema) }
  return Object.fromEntries(media.map((type) => [type, body]))
}

/** A reference to a component schema. */
export function refTo(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` }
}

/**
 * The responses of an action, by status code. An update or patch answers 201 where it created the object; what is accepted is
 * not done yet.
 */
function responsesOf(operation: Operation, context: PathContext): Schema {
  const { action, kind, object, list } = operation
  const watched = action === 'list' || action.startsWith('watch')
  const media = objectMedia(kind, context)
  const streams = media
    .filter((type) => type !== 'application/yaml')
    .map((type) => `${type};stream=watch`)
  const content = (schema: string) => contentOf(watched ? [...media, ...streams] : media, schema)
  const status = context.meta('Status')
  const ok = (schema: string) => ({ 200: { description: 'OK', content: content(schema) } })
  const created = (schema: string) => ({
    ...ok(schema),
    201: { description: 'Created', content: content(schema) },
  })
  const accepted = (schema: string) => ({
    202: { description: 'Accepted', content: content(schema) },
  })
  const all = (): Schema => {
    switch (action) {
      case 'get':
        return ok(object)
      case 'list':
        return ok(list)
      case 'watch':
      case 'watchlist':
        return ok(context.meta('WatchEvent'))
      case 'post':
        return { ...created(object), ...accepted(object) }
      case 'put':
      case 'patch':
        return created(object)
      case 'delete': {
        const schema = kind.deleteReturns === 'Object' ? object : status
        return { ...ok(schema), ...accepted(schema) }
      }
      case 'deletecollection':
        return ok(status)
    }
  }
  return { ...all(), 401: { description: 'Unauthorized' } }
}
