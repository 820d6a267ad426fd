// Only has to compile: what must not compile is marked.
import { deployments } from '../../../generated/apis/apps/v1/deployment.ts'
import { type ConfigMap, configMaps } from '../../../generated/apis/core/v1/config-map.ts'
import { nodes } from '../../../generated/apis/core/v1/node.ts'
import { pods } from '../../../generated/apis/core/v1/pod.ts'
import type {
  ApiObject,
  CacheReader,
  Client,
  Draft,
  Key,
  Kind,
  Stored,
} from '../../../runtime/runtime.ts'

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

export async function storedObjects(client: Client): Promise<readonly Key[]> {
  const map = await client.resource(configMaps).get('x')
  const { name, namespace, uid, resourceVersion, creationTimestamp } = map.metadata
  const certain: readonly string[] = [name, namespace, uid, resourceVersion, creationTimestamp]
  const key: Key = { name: certain[0] ?? name, namespace: map.metadata.namespace }

  const node = await client.resource(nodes).get('x')
  const nodeName: string = node.metadata.name
  // @ts-expect-error a kind without namespaces
  const none: string = node.metadata.namespace
  // @ts-expect-error a kind without namespaces
  await client.resource(nodes).create({ metadata: { name: 'x', namespace: none } })

  // What is sent need not have what the server fills in, not even a name.
  await client.resource(configMaps).create({ metadata: { generateName: 'x-' } })
  const draft: Draft<ConfigMap> = map
  // @ts-expect-error what is sent may have no uid
  const sent: string = draft.metadata.uid
  return [key, { name: nodeName }, { name: sent }]
}

export async function scales(client: Client): Promise<number | undefined> {
  const { spec } = await client.resource(deployments).in('shop').scale('web').get()
  await client
    .resource(deployments)
    .scale('web')
    .patch({ spec: { replicas: 2 } })
  const size = client.resource(deployments).scale('web')
  // @ts-expect-error a Scale has no template
  await size.patch({ spec: { template: {} } })
  // @ts-expect-error a kind that cannot be scaled
  client.resource(configMaps).scale('web')
  const widgets = await client.dynamic('widgets')
  await widgets.scale('cog').patch({ spec: { replicas: 2 } })
  return spec?.replicas
}

export function unknownScope(object: Stored<ApiObject>): Key {
  const { name, namespace } = object.metadata
  // @ts-expect-error of an object of any kind the scope is not known
  const wrong: Key = { name, namespace }
  return namespace === undefined ? { name } : { ...wrong, name, namespace }
}

export function anyKind<T extends ApiObject>(kind: Kind<T>, object: Stored<T>): Key {
  const { name, namespace } = object.metadata
  const whole: Stored<ApiObject> = object
  return kind.scope === 'Cluster' || namespace === undefined
    ? { name: whole.metadata.name }
    : { name, namespace }
}
