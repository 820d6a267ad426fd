/** The schema document of a group version as another server has it. */
import { createHash } from 'node:crypto'
import { isObject, type JsonObject } from '../kernel/values/json.ts'
import { encodeJson } from '../serializer/serializer.ts'
import { schemaOfSwagger } from './legacy-schema.ts'
import { type DocumentRequest, type RemoteDocument, readDocument } from './remote-document.ts'
import { type RemoteVersion, remotePath } from './remote-version.ts'

/** What is known of the schemas of one group version. */
export interface RemoteSchema {
  /** The hash under which clients ask for the document. */
  readonly hash: string
  /** True where the other server answers for the document itself. */
  readonly isPassedOn: boolean
  /** The document in version 3, with the paths of the group version only. */
  readonly text: string
  /** What the other server calls this state of its document. */
  readonly tag: string | undefined
}

/** Asks for one document of the other server. */
export type AskForDocument = (
  request: Pick<DocumentRequest, 'path' | 'tag' | 'maxBytes'>,
) => Promise<RemoteDocument>

/** Bytes of a list of documents, and of a document. */
const [indexBytes, documentBytes] = [1024 * 1024, 16 * 1024 * 1024]

/**
 * The schemas of a group version: those that are known, if they have not changed. Undefined where the server has none for it.
 *
 * @throws an Error that says why they could not be had.
 */
export async function fetchSchema(
  version: RemoteVersion,
  known: RemoteSchema | undefined,
  ask: AskForDocument,
): Promise<RemoteSchema | undefined> {
  const index = await ask({ path: '/openapi/v3', maxBytes: indexBytes })
  if (index.status === 404) return fetchLegacySchema(version, known, ask)
  checkStatus(index, 200)
  const key = remotePath(version)
  const { paths } = readDocument(index)
  const entry = isObject(paths) && Object.hasOwn(paths, key) ? paths[key] : undefined
  if (!isObject(entry)) return undefined
  const [, hash = ''] = /[?&]hash=([\w-]{1,256})(?:&|$)/.exec(String(entry.serverRelativeURL)) ?? []
  if (hash !== '' && hash === known?.tag) return known
  const query = hash === '' ? '' : `?hash=${hash}`
  const document = await ask({ path: `/openapi/v3/${key}${query}`, maxBytes: documentBytes })
  checkStatus(document, 200)
  const text = ownPart(readDocument(document), key)
  return { text, isPassedOn: true, hash: hash === '' ? hashOf(text) : hash, tag: hash }
}

/** From a server that knows version 2 only. */
async function fetchLegacySchema(
  version: RemoteVersion,
  known: RemoteSchema | undefined,
  ask: AskForDocument,
): Promise<RemoteSchema | undefined> {
  const tag = known?.isPassedOn === false ? known.tag : undefined
  const document = await ask({ path: '/openapi/v2', tag, maxBytes: documentBytes })
  if (document.status === 304 && tag !== undefined) return known
  if (document.status === 404) return undefined
  checkStatus(document, 200)
  const text = ownPart(schemaOfSwagger(readDocument(document)), remotePath(version))
  return { text, isPassedOn: false, hash: hashOf(text), tag: document.tag }
}

function checkStatus({ status }: RemoteDocument, wanted: number): void {
  if (status !== wanted) throw new Error(`the answer has status ${status}`)
}

/** The document with the paths of the group version only: a server has no say in what others serve. */
function ownPart({ paths, components, info }: JsonObject, key: string): string {
  const own = Object.entries(isObject(paths) ? paths : {}).filter(
    ([path, item]) => isObject(item) && (path === `/${key}` || path.startsWith(`/${key}/`)),
  )
  const { schemas } = isObject(components) ? components : {}
  const kept = Object.entries(isObject(schemas) ? schemas : {}).filter(([, one]) => isObject(one))
  const bytes = encodeJson({
    openapi: '3.0.0',
    info: isObject(info) ? info : {},
    paths: Object.fromEntries(own),
    components: { schemas: Object.fromEntries(kept) },
  })
  return Buffer.from(bytes).toString()
}

/** As the hashes of our own documents. */
function hashOf(text: string): string {
  return createHash('sha512').update(text).digest('hex').toUpperCase()
}
