import {
  type Client,
  createInformer,
  createManager,
  defineController,
  done,
  dynamicKind,
  type Manager,
} from 'orch'

/** What is read of a Widget: as much of its type as a program needs. */
interface Widget {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace: string }
  readonly spec: { readonly size: number }
  readonly status?: { readonly fits: boolean }
}

/** Every verb over a kind that is found by its name. */
export async function resize(client: Client): Promise<number> {
  const widgets = await client.dynamic('widgets.shop.example.com')
  await widgets.create({ metadata: { name: 'cog' }, spec: { size: 1 } })
  await widgets.mergePatch('cog', { spec: { size: 2 } })
  const applied = { metadata: { name: 'cog' }, spec: { size: 3 } }
  await widgets.apply(applied, { manager: 'resizer', force: true })
  const cog = await widgets.get('cog')
  return cog.spec.size
}

/** The object that an owner reference names, whatever its kind. */
export async function ownerOf(
  client: Client,
  reference: { apiVersion: string; kind: string; name: string },
) {
  const { apiVersion, kind, name } = reference
  const owners = await client.dynamic({ apiVersion, kind })
  return owners.find(name)
}

/** What a server serves, as `kubectl api-resources` lists it. */
export async function servedResources(client: Client): Promise<string[]> {
  const kinds = await client.kinds()
  return kinds.map(({ plural, group, version }) => [plural, version, group].join('.'))
}

/** A cache that follows objects of a kind that is only known now. */
export async function cachedNames(client: Client, resource: string): Promise<string[]> {
  const stop = new AbortController()
  const informer = createInformer(await client.dynamic(resource))
  const running = informer.run(stop.signal)
  await informer.synced
  const names = informer.cache.list().map(({ metadata }) => metadata.name)
  stop.abort()
  await running
  return names
}

/** A controller over it: the descriptor is all that it needs. */
export async function widgetManager(client: Client): Promise<Manager> {
  const { kind } = await client.dynamic<Widget>('widgets.shop.example.com')
  const controller = defineController({
    name: 'widget',
    for: kind,
    async reconcile({ spec }, { setStatus }) {
      await setStatus({ fits: spec.size < 10 })
      return done
    },
  })
  return createManager({ client, controllers: [controller] })
}

/** Without asking a server: the facts of the kind are written down. */
export const gadgets = dynamicKind({
  group: 'shop.example.com',
  version: 'v1',
  kind: 'Gadget',
  plural: 'gadgets',
  scope: 'Namespaced',
})
