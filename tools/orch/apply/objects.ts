/** The objects of files, as commands send them to a server. */
import { readFile } from 'node:fs/promises'
import { compareObjects } from '../../../runtime/build/build.ts'
import type { Client, DynamicObject, Key, Resource } from '../../../runtime/client/client.ts'
import { isObject, type JsonObject } from '../../../runtime/kernel/values/json.ts'
import {
  decodeLocatedDocuments,
  type LocatedValue,
} from '../../../runtime/serializer/serializer.ts'
import { findFiles } from '../validate/files.ts'

/** An object of a file, and where it is sent. */
export interface Wanted {
  readonly config: JsonObject
  readonly resource: Resource<DynamicObject>
  readonly key: Key
  /** `Deployment shop/web`. */
  readonly title: string
}

/** The objects of paths, in the order in which they need each other. @throws Error that names the place of what is wrong. */
export async function readObjects(paths: readonly string[]): Promise<readonly JsonObject[]> {
  const { files, problems } = await findFiles(paths)
  if (problems.length > 0) throw new Error(problems.join('\n'))
  const found: JsonObject[] = []
  for (const { name, named } of files) {
    const text = name === '-' ? await standardInput() : await readFile(name)
    for (const document of await decodeLocatedDocuments(text)) {
      const { error, duplicates, root } = document
      if (error !== undefined) throw new Error(`${name}: ${error.message}`)
      const [twice] = duplicates
      if (twice !== undefined)
        throw new Error(`${name}:${twice.at.line}:${twice.at.column}: ${twice.key} stands twice`)
      if (root !== undefined) found.push(...objectsOf(name, named, root))
    }
  }
  return found.sort(compareObjects)
}

async function standardInput(): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function objectsOf(
  file: string,
  named: boolean,
  root: LocatedValue<{ readonly line: number; readonly column: number }>,
): readonly JsonObject[] {
  const value = plain(root)
  const { line, column } = root.at
  if (!isObject(value as JsonObject)) throw new Error(`${file}:${line}:${column}: it is no object`)
  const object = value as JsonObject
  if (object.kind === 'List' && root.is === 'map') {
    const items = root.entries.find(({ key }) => key === 'items')?.value
    return items?.is === 'list' ? items.items.flatMap((one) => objectsOf(file, true, one)) : []
  }
  const { apiVersion, kind, metadata } = object
  if (!named && apiVersion === undefined && kind === undefined) return []
  const name = isObject(metadata) ? metadata.name : undefined
  if (typeof apiVersion === 'string' && typeof kind === 'string' && typeof name === 'string') {
    return [object]
  }
  throw new Error(
    `${file}:${line}:${column}: an object that is applied states apiVersion, kind and metadata.name`,
  )
}

function plain(node: LocatedValue<unknown>): unknown {
  if (node.is === 'scalar') return node.value
  if (node.is === 'list') return node.items.map(plain)
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, plain(value)]))
}

/** Where an object is sent. Undefined for a kind that the server does not have yet. */
export async function wantedOf(
  client: Client,
  config: JsonObject,
  namespace: string,
): Promise<Wanted> {
  const { apiVersion, kind, metadata } = config as unknown as DynamicObject
  const resource = await client.dynamic({ apiVersion, kind })
  const name = metadata.name as string
  if (resource.kind.scope === 'Cluster') {
    return { config, resource, key: { name }, title: `${kind} ${name}` }
  }
  const place = metadata.namespace ?? namespace
  const whole = { ...config, metadata: { ...metadata, namespace: place } } as unknown as JsonObject
  const key = { name, namespace: place }
  return { config: whole, resource, key, title: `${kind} ${place}/${name}` }
}
