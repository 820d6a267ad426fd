/** The objects of files, as commands send them to a server. */
import { readFile } from 'node:fs/promises'
import { compareObjects } from '../../../runtime/build/build.ts'
import {
  type Client,
  type DynamicKindFacts,
  type DynamicObject,
  dynamicKind,
  type Key,
  type Resource,
} from '../../../runtime/client/client.ts'
import { isStatus } from '../../../runtime/kernel/errors/status-error.ts'
import { isObject, type JsonObject } from '../../../runtime/kernel/values/json.ts'
import {
  decodeLocatedDocuments,
  type LocatedValue,
  type TextRange,
} from '../../../runtime/serializer/serializer.ts'
import { holdsObjects, objectsIn, plainValue } from '../../../runtime/validate/validate.ts'
import { findFiles } from '../validate/files.ts'

/** An object of a file, and where it is sent. */
export interface Wanted {
  readonly config: JsonObject
  readonly resource: Resource<DynamicObject>
  readonly key: Key
  /** `Deployment shop/web`. */
  readonly title: string
  /** The server does not have its kind yet: a definition among the objects makes it. */
  readonly isDefined?: true
}

/** The objects of paths, in the order in which they need each other. @throws Error that names the place of what is wrong. */
export async function readObjects(paths: readonly string[]): Promise<readonly JsonObject[]> {
  const { files, problems } = await findFiles(paths)
  if (problems.length > 0) throw new Error(problems.join('\n'))
  const found: JsonObject[] = []
  for (const { name, named } of files) {
    const text = name === '-' ? await standardInput() : await readFile(name)
    const documents = await decodeLocatedDocuments(text)
    if (!named && !holdsObjects(documents)) continue
    for (const { error, duplicates, root } of documents) {
      if (error !== undefined) throw new Error(`${name}: ${error.message}`)
      const [twice] = duplicates
      if (twice !== undefined)
        throw new Error(`${name}:${twice.at.line}:${twice.at.column}: ${twice.key} stands twice`)
      if (root !== undefined) found.push(...objectsIn(root).map((one) => objectOf(name, one)))
    }
  }
  return found.sort(compareObjects)
}

async function standardInput(): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function objectOf(file: string, root: LocatedValue<TextRange>): JsonObject {
  const value = plainValue(root)
  const { line, column } = root.at
  if (!isObject(value)) throw new Error(`${file}:${line}:${column}: it is no object`)
  const { apiVersion, kind, metadata } = value
  const name = isObject(metadata) ? metadata.name : undefined
  if (typeof apiVersion === 'string' && typeof kind === 'string' && typeof name === 'string') {
    return value
  }
  throw new Error(
    `${file}:${line}:${column}: an object that is applied states apiVersion, kind and metadata.name`,
  )
}

/** Kinds by `apiVersion/kind`. */
export type DefinedKinds = ReadonlyMap<string, DynamicKindFacts>

/** The kinds that definitions among the objects make. */
export function definedIn(objects: readonly JsonObject[]): DefinedKinds {
  const found = objects.flatMap(({ kind, spec }) => {
    if (kind !== 'CustomResourceDefinition' || !isObject(spec)) return []
    const { group, names, scope, versions } = spec as DynamicObject
    return (Array.isArray(versions) ? versions : []).flatMap((one) => {
      if (!isObject(one) || one.served !== true || !isObject(names)) return []
      const version = String(one.name)
      const facts = { group: String(group), version, kind: String(names.kind) }
      const plural = String(names.plural)
      const whole: DynamicKindFacts = {
        ...{ ...facts, plural, scope: scope === 'Cluster' ? 'Cluster' : 'Namespaced' },
      }
      return [[`${facts.group}/${version}/${facts.kind}`, whole] as const]
    })
  })
  return new Map(found)
}

/** Where an object is sent. @throws StatusError for a kind that neither the server has nor a definition makes. */
export async function wantedOf(
  client: Client,
  config: JsonObject,
  namespace: string,
  defined: DefinedKinds,
): Promise<Wanted> {
  const { apiVersion, kind, metadata } = config as unknown as DynamicObject
  const facts = defined.get(`${apiVersion}/${kind}`)
  const known = await client.dynamic({ apiVersion, kind }).catch((error: unknown) => {
    if (facts === undefined || !isStatus(error)) throw error
    return undefined
  })
  const isDefined = known === undefined ? ({ isDefined: true } as const) : {}
  const resource = known ?? client.resource(dynamicKind(facts as DynamicKindFacts))
  const name = metadata.name as string
  if (resource.kind.scope === 'Cluster') {
    return { config, resource, key: { name }, title: `${kind} ${name}`, ...isDefined }
  }
  const place = metadata.namespace ?? namespace
  const whole = { ...config, metadata: { ...metadata, namespace: place } } as unknown as JsonObject
  const key = { name, namespace: place }
  return { config: whole, resource, key, title: `${kind} ${place}/${name}`, ...isDefined }
}
