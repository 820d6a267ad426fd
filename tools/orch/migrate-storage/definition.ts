/** The definition of a custom resource: in which version it stores, and in which its objects may be. */
import type { Client, DynamicObject, Resource } from '../../../runtime/client/client.ts'
import type { Kind } from '../../../runtime/kernel/descriptors/kind.ts'
import type { Stored } from '../../../runtime/kernel/meta/object.ts'

/** A definition as far as it is looked at. */
export interface Definition extends Stored<DynamicObject> {
  readonly spec: {
    readonly versions: readonly { readonly name: string; readonly storage: boolean }[]
  }
  readonly status?: { readonly storedVersions?: readonly string[] }
}

/** Where the definitions of a server are; undefined where it has none. */
export function definitionsOf(
  client: Client,
  served: readonly Kind<DynamicObject>[],
): Resource<DynamicObject> | undefined {
  const kind = served.find(({ plural }) => plural === 'customresourcedefinitions')
  return kind && client.resource(kind)
}

/** The definition of a kind; undefined where none defines it. */
export async function definitionOf(
  definitions: Resource<DynamicObject>,
  { plural, group }: Kind<DynamicObject>,
): Promise<Definition | undefined> {
  if (group === '') return undefined
  return definitions.find(`${plural}.${group}`) as Promise<Definition | undefined>
}

/** The version that objects are stored in. */
export function storageVersionOf({ spec: { versions } }: Definition): string {
  return versions.find(({ storage }) => storage)?.name ?? ''
}

/**
 * Takes the versions that no object is stored in any more off the definition's status. `before` is the definition as it was when the first object
 * was looked at.
 *
 * @throws Error if its spec has changed since: objects may be stored in yet another version.
 */
export async function forgetVersions(
  definitions: Resource<DynamicObject>,
  before: Definition,
  print: (line: string) => void,
): Promise<void> {
  const { name } = before.metadata
  const version = storageVersionOf(before)
  const others = (before.status?.storedVersions ?? []).filter((one) => one !== version)
  if (others.length === 0) return
  const now = (await definitions.get(name)) as unknown as Definition
  if (now.metadata.generation !== before.metadata.generation) {
    throw new Error(`the definition ${name} was changed meanwhile: run it again`)
  }
  const { resourceVersion } = now.metadata
  const patch = { metadata: { resourceVersion }, status: { storedVersions: [version] } }
  await definitions.mergePatch(name, patch as object, { subresource: 'status' })
  print(`${name}: nothing is stored in ${others.join(', ')} any more`)
}
