// Only has to compile: what must not compile is marked.
import { type ConfigMap, configMaps } from '../../../generated/apis/core/v1/config-map.ts'
import { pods } from '../../../generated/apis/core/v1/pod.ts'
import type { CacheReader, Client } from '../../../runtime/runtime.ts'

export async function verbs(client: Client): Promise<void> {
  const maps = client.resource(configMaps)
  const map = await maps.get('x')
  const version: string = map.metadata.resourceVersion

  await maps.create({ metadata: { name: 'x' }, data: { a: '1' } })
  await maps.update({ ...map, data: { ...map.data, a: version } })
  await maps.mergePatch('x', { data: { a: null }, immutable: true })
  await maps.jsonPatch('x', [{ op: 'remove', path: '/data/a' }])

  // @ts-expect-error objects from a server are readonly
  map.data.a = '1'
  // @ts-expect-error a value of the wrong type
  await maps.mergePatch('x', { data: { a: 1 } })
  // @ts-expect-error a field that the kind does not have
  await maps.create({ metadata: { name: 'x' }, spec: {} })
  // @ts-expect-error an object of another kind
  await client.resource(pods).update(map)
  // @ts-expect-error a step without a value
  await maps.jsonPatch('x', [{ op: 'add', path: '/data/a' }])
}

export function cache(reader: CacheReader<ConfigMap>): void {
  const [first] = reader.list()
  // @ts-expect-error objects in a cache are shared
  reader.list().push(first!)
}
