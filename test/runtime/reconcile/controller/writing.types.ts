// Only has to compile: what must not compile is marked.
import { deployments } from '../../../../generated/apis/apps/v1/deployment.ts'
import { configMaps } from '../../../../generated/apis/core/v1/config-map.ts'
import { secrets } from '../../../../generated/apis/core/v1/secret.ts'
import type { Service } from '../../../../generated/apis/core/v1/service.ts'
import { services } from '../../../../generated/apis/core/v1/service.ts'
import type { Disjoint } from '../../../../runtime/reconcile/controller/disjoint-types.ts'
import {
  type Client,
  createClusters,
  createManager,
  defineController,
  done,
  dynamicKind,
  ensureDependents,
  type KeyController,
  type Resource,
  watching,
  writing,
} from '../../../../runtime/runtime.ts'

declare const client: Client
const until = 'certificates.example.com/valid-until'
const reconcile = async () => done

writing(services, [
  'spec',
  'spec.selector[app]',
  'metadata.labels',
  `metadata.annotations[${until}]`,
])
// @ts-expect-error a field that the kind does not have
writing(services, ['spec.selectors'])
// @ts-expect-error an item of a list is not a field of its own
writing(services, ['spec.ports[http]'])
watching(services, () => [], {
  fields: ['metadata.labels[app]'],
  indexes: { app: 'spec.selector[app]' },
})
const widgets = dynamicKind({
  ...{
    group: 'example.com',
    version: 'v1',
    kind: 'Widget',
    plural: 'widgets',
    scope: 'Namespaced',
  },
})
writing(widgets, ['spec.size'])

const annotator = defineController({
  name: 'annotator',
  for: configMaps,
  writes: [writing(services, [`metadata.annotations[${until}]`, 'spec.selector'])],
  async reconcile({ metadata: { name } }, { client }) {
    const written = client.resource(services).in('shop')
    const { spec } = await written.get(name)
    await written.mergePatch(name, { metadata: { annotations: { [until]: null } } })
    await written.apply({ metadata: { name }, spec: { selector: spec?.selector ?? {} } })
    // @ts-expect-error another annotation
    await written.mergePatch(name, { metadata: { annotations: { other: 'x' } } })
    // @ts-expect-error all annotations
    await written.mergePatch(name, { metadata: { annotations: null } })
    // @ts-expect-error another field
    await written.apply({ metadata: { name }, spec: { type: 'NodePort' } })
    // @ts-expect-error the status is not declared
    await written.updateStatus({ metadata: { name } })
    // @ts-expect-error an update writes all fields
    await written.update({ metadata: { name } })
    // @ts-expect-error a deletion takes the whole object
    await written.delete(name)
    await client.resource(configMaps).delete(name)
    return done
  },
})

/** Helpers take the client, and the context, of a controller that declares fields. */
async function help(_client: Client, _services: Pick<Resource<Service>, 'get'>) {}

const owner = defineController({
  name: 'owner',
  for: configMaps,
  owns: [deployments, secrets],
  writes: [writing(deployments, ['spec.selector', 'spec.template'])],
  async reconcile(_, context) {
    const { client, ensure } = context
    const spec = { selector: {}, template: {} }
    await ensure(deployments, { metadata: { name: 'web' }, spec })
    await ensure(secrets, { metadata: { name: 'web' }, type: 'Opaque' })
    // @ts-expect-error a field that it does not declare
    await ensure(deployments, { metadata: { name: 'web' }, spec: { ...spec, replicas: 3 } })
    await client.resource(deployments).create({ metadata: { name: 'web' }, spec })
    await client.resource(deployments).delete('web')
    await ensureDependents(context, [])
    await help(client, client.resource(services))
    return done
  },
})

defineController({
  name: 'both',
  for: configMaps,
  scales: [deployments],
  writes: [writing(deployments, ['metadata.labels', 'status'])],
  async reconcile({ metadata }, { client }) {
    const written = client.resource(deployments)
    await written
      .in('shop')
      .scale('web')
      .patch({ spec: { replicas: 3 } })
    await written.updateStatus({ metadata, status: {} })
    await written.mergePatch(metadata, { metadata: { labels: { a: 'b' } } })
    // @ts-expect-error another field
    await written.mergePatch(metadata, { spec: { replicas: 3 } })
    // @ts-expect-error a kind without a scale
    client.resource(configMaps).scale('web')
    return done
  },
})

defineController({
  name: 'reporter',
  for: services,
  writes: [writing(services, ['metadata.labels'])],
  async reconcile(_, { setStatus }) {
    // @ts-expect-error the status is not among the fields that it declares
    await setStatus({})
    return done
  },
})

const scaler = defineController({
  name: 'scaler',
  for: configMaps,
  writes: [writing(deployments, ['spec.replicas'])],
  reconcile,
})
const whole = defineController({ name: 'whole', for: configMaps, writes: [services], reconcile })
const other = defineController({ name: 'other', for: configMaps, owns: [services], reconcile })
const spec = defineController({
  name: 'spec',
  for: configMaps,
  writes: [writing(services, ['spec'])],
  reconcile,
})
const status = defineController({
  name: 'status',
  for: configMaps,
  writes: [writing(services, ['status.loadBalancer'])],
  reconcile,
})
const published = defineController({ name: 'published', for: services, reconcile })
const wide: KeyController = { name: 'wide', writes: [services], reconcile }

createManager({ client, controllers: [annotator, owner, scaler, status, wide] })
createManager({ client, controllers: [whole, other, published] })
createManager({ client, controllers: [other, status] })
const settings = { client, namespace: 'shop', controllers: [annotator, scaler] }
createManager(settings)

// @ts-expect-error annotator and spec both write spec.selector of Service
createManager({ client, controllers: [annotator, spec] })
// @ts-expect-error whole writes any field of Service
createManager({ client, controllers: [annotator, whole] })
// @ts-expect-error other owns Service, and names no field
createManager({ client, controllers: [annotator, other] })
// @ts-expect-error published may write the status of Service
createManager({ client, controllers: [status, published] })
const clusters = createClusters({ east: client })
// @ts-expect-error in several clusters, too
createManager({ clusters, controllers: [annotator, spec] })

const said: Disjoint<readonly [typeof annotator, typeof spec]>[1] =
  'spec and annotator both write spec.selector of Service: name in `writes` of each of them, by writing(), fields that no other one writes'
void said
