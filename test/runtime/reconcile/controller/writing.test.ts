// Fields that a controller declares as its own: what its client writes, what it is allowed, and who else may write them.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { deployments } from '../../../../generated/apis/apps/v1/deployment.ts'
import { horizontalPodAutoscalers as autoscalersV1 } from '../../../../generated/apis/autoscaling/v1/horizontal-pod-autoscaler.ts'
import { horizontalPodAutoscalers as autoscalersV2 } from '../../../../generated/apis/autoscaling/v2/horizontal-pod-autoscaler.ts'
import { type ConfigMap, configMaps } from '../../../../generated/apis/core/v1/config-map.ts'
import { services } from '../../../../generated/apis/core/v1/service.ts'
import { clusterRoleBindings, clusterRoles } from '../../../../generated/apis/rbac/v1.ts'
import type { Client } from '../../../../runtime/client/client.ts'
import { deferred } from '../../../../runtime/kernel/async/deferred.ts'
import {
  type AnyController,
  accessRules,
  createManager,
  defineController,
  done,
  type KeyContext,
  type KeyController,
  setCondition,
  type Written,
  writing,
} from '../../../../runtime/reconcile/reconcile.ts'
import { type ControlPlane, startControlPlane } from '../../../../runtime/testing/testing.ts'
import { assertRejects } from '../../../support/rejects.ts'
import { until } from '../../../support/until.ts'

interface Running {
  plane: ControlPlane
  /** What happens in a run of a controller that declares `writes`. */
  during: (
    writes: readonly Written[],
    work: (context: KeyContext) => Promise<void>,
  ) => Promise<void>
  /** Runs controllers until the test ends. */
  run: (client: Client, ...controllers: readonly (AnyController | KeyController)[]) => void
  end: () => Promise<void>
}

const test = suite<Running>('runtime/reconcile: declared fields')

test.before.each(async (context) => {
  const plane = await startControlPlane({ authorization: 'RBAC' })
  const stop = new AbortController()
  const running: Promise<void>[] = []
  context.plane = plane
  context.run = (client, ...controllers) => {
    const queue = { backoff: { baseMs: 5, maxMs: 20 } }
    running.push(createManager({ client, controllers, queue }).run(stop.signal))
  }
  context.during = async (writes, work) => {
    const through = deferred()
    const writer: KeyController = {
      ...{ name: 'writer', writes, seeds: [{ name: 'once' }] },
      async reconcile(_, run) {
        await work(run).then(through.resolve, through.reject)
        return done
      },
    }
    context.run(plane.client, writer)
    await through.promise
  }
  context.end = async () => {
    stop.abort()
    await Promise.all(running)
    await plane.stop()
  }
})

test.after.each(({ end }) => end())

const web = { metadata: { name: 'web' }, spec: { ports: [{ port: 80 }] } }
const reconcile = async () => done

test('a controller writes the fields that it declares, and no others', async (context) => {
  const { plane, during } = context
  await plane.client.resource(services).create(web)
  const fields = writing(services, ['metadata.labels[example.com/tier]', 'spec.selector'])
  await during([fields], async ({ client }) => {
    const written = client.resource(services).in('default')
    const labels = { 'example.com/tier': 'front' }
    await written.mergePatch('web', { metadata: { labels }, spec: {} })
    await written.apply({ metadata: { name: 'web' }, spec: { selector: { app: 'web' } } })
    const { metadata, spec } = await written.get('web')
    assert.equal([metadata.labels, spec?.selector], [labels, { app: 'web' }])
    const path = '/metadata/labels/example.com~1tier'
    await written.jsonPatch('web', [
      { op: 'test', path: '/spec/type', value: 'ClusterIP' },
      { op: 'replace', path: '/metadata/resourceVersion', value: metadata.resourceVersion },
      { op: 'replace', path, value: 'back' },
    ])
    const refusals = [
      [written.mergePatch('web', { metadata: { labels: { app: 'web' } } }), 'metadata.labels[app]'],
      [written.mergePatch('web', { metadata: { labels: null } }), 'metadata.labels'],
      [written.mergePatch('web', { spec: null }), 'spec'],
      [written.apply({ metadata: { name: 'web' }, spec: { type: 'NodePort' } }), 'spec.type'],
      [
        written.jsonPatch('web', [{ op: 'add', path: '/metadata/labels', value: {} }]),
        'metadata.labels',
      ],
      [written.jsonPatch('web', [{ op: 'move', from: '/spec/type', path }]), 'spec.type'],
      [written.updateStatus({ ...web, status: {} }), 'status'],
    ] as const
    for (const [refused, field] of refusals) {
      const { message } = await assertRejects(refused, 'Forbidden')
      const title = message.replace(/ writes .*/, '')
      assert.match(title, /^controller writer \((apply|jsonPatch|mergePatch|updateStatus)\)$/)
      assert.is(
        message,
        `${title} writes ${field} of Service (services), but declares metadata.labels[example.com/tier], spec.selector alone: name the field in \`writes\`, by writing()`,
      )
    }
    for (const whole of [
      written.update({ ...web, metadata }),
      written.create(web),
      written.delete('web'),
      written.deleteCollection({}),
      written.createSubresource('web', 'proxy', {}),
    ]) {
      const { message } = await assertRejects(whole, 'Forbidden')
      assert.match(message, 'writes Service (services) as a whole')
    }
    assert.is((await written.get('web')).metadata.labels?.['example.com/tier'], 'back')
  })
})

test('of what a controller makes it writes the declared fields, and makes and deletes it', async (context) => {
  const { plane, run } = context
  const errors: string[] = []
  const spec = {
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'a', image: 'a' }] },
    },
  }
  const controller = defineController<ConfigMap>({
    name: 'maker',
    for: configMaps,
    owns: [deployments],
    writes: [writing(deployments, ['spec.selector', 'spec.template'])],
    async reconcile({ data, metadata: { name } }, { ensure, owned, client }) {
      if (data?.gone === 'yes') {
        for (const one of owned(deployments)) await client.resource(deployments).delete(one)
        return done
      }
      const replicas = data?.replicas === undefined ? {} : { replicas: Number(data.replicas) }
      const ensured = ensure(deployments, { metadata: { name }, spec: { ...spec, ...replicas } })
      await ensured.catch(({ message }) => errors.push(message))
      return done
    },
  })
  run(plane.client, controller)
  const maps = plane.client.resource(configMaps).in('default')
  const made = plane.client.resource(deployments).in('default')
  await maps.create({ metadata: { name: 'web' } })
  await until('deployment', () => made.find('web'))
  await maps.mergePatch('web', { data: { replicas: '3' } })
  await until('refusal', () => errors.length > 0)
  assert.match(
    errors[0] ?? '',
    'controller maker (apply) writes spec.replicas of Deployment (deployments.apps)',
  )
  await maps.mergePatch('web', { data: { gone: 'yes' } })
  await until('deletion', async () => (await made.find('web')) === undefined)
})

test('a part of the status is written as a patch, with the rights of its fields and no others', async (context) => {
  const { plane, run } = context
  const { client } = plane
  const controller = defineController({
    name: 'reporter',
    for: deployments,
    writes: [writing(deployments, ['status.conditions', 'metadata.annotations[example.com/seen]'])],
    cleanup: { finalizer: 'example.com/reported', run: reconcile },
    async reconcile({ metadata, status }, { client, setStatus }) {
      const seen = { type: 'Seen', status: 'True' }
      const annotations = { 'example.com/seen': 'yes' }
      await client.resource(deployments).mergePatch(metadata, { metadata: { annotations } })
      await setStatus({ ...status, conditions: setCondition(status?.conditions, seen, 0) })
      return done
    },
  })
  const { everywhere: rules } = accessRules([controller])
  assert.equal(
    rules.map(({ resources, verbs }) => [resources, verbs]),
    [
      [['deployments'], ['get', 'list', 'patch', 'update', 'watch']],
      [['deployments/status'], ['get', 'patch']],
    ],
  )
  await client.resource(clusterRoles).create({ metadata: { name: 'reporter' }, rules: [...rules] })
  await client.resource(clusterRoleBindings).create({
    metadata: { name: 'reporter' },
    roleRef: { apiGroup: 'rbac.authorization.orch.io', kind: 'ClusterRole', name: 'reporter' },
    subjects: [{ kind: 'User', name: 'reporter', apiGroup: 'rbac.authorization.orch.io' }],
  })
  run(plane.as('reporter'), controller)
  const made = client.resource(deployments).in('default')
  const template = {
    metadata: { labels: { a: 'b' } },
    spec: { containers: [{ name: 'a', image: 'a' }] },
  }
  const spec = { selector: { matchLabels: { a: 'b' } }, template }
  await made.create({ metadata: { name: 'web' }, spec })
  const seen = await until('condition', async () => {
    const found = await made.get('web')
    return found.status?.conditions?.some(({ type }) => type === 'Seen') ? found : undefined
  })
  assert.is(seen.metadata.annotations?.['example.com/seen'], 'yes')
  await made.delete('web')
  await until('cleanup', async () => (await made.find('web')) === undefined)
})

test('declared fields give rights to patch an object that is there, and to nothing else of it', () => {
  const rulesOf = (...writes: readonly Written[]) =>
    accessRules([{ name: 'x', writes, reconcile } as KeyController]).everywhere.map(
      ({ resources, verbs }) => `${resources}: ${verbs}`,
    )
  assert.equal(rulesOf(writing(services, ['metadata.labels'])), ['services: get,list,patch,watch'])
  assert.equal(rulesOf(writing(services, ['status'])), [
    'services: get,list,watch',
    'services/status: get,patch,update',
  ])
  assert.equal(rulesOf(writing(services, [])), ['services: get,list,watch'])
})

test('a manager refuses controllers that write a declared field both, and names them', async (context) => {
  const { client } = context.plane
  const one = (name: string, ...writes: readonly Written[]): KeyController => ({
    name,
    writes,
    reconcile,
  })
  const refused = (controllers: readonly (AnyController | KeyController)[]): string | undefined => {
    try {
      createManager({ client, controllers })
    } catch (error) {
      assert.instance(error, RangeError)
      return (error as Error).message.replace(/: name in .*/, '')
    }
    return undefined
  }
  const selector = writing(services, ['spec.selector'])
  const key = (name: string) => writing(services, [`metadata.labels[${name}]`])
  const cases: readonly [string | undefined, ...(AnyController | KeyController)[]][] = [
    [undefined, one('a', selector), one('b', writing(services, ['spec.type'])), one('c')],
    ['a and b both write spec.selector of Service', one('a', selector), one('b', selector)],
    [
      'a and b both write spec.selector of Service; a and c both write spec.selector of Service; b and c both write spec of Service',
      ...[one('a', selector), one('b', writing(services, ['spec'])), one('c', services)],
    ],
    [undefined, one('a', key('app')), one('b', key('tier')), one('c', key('app.kubernetes'))],
    [
      'a and b both write metadata.labels[app] of Service',
      ...[one('a', key('app')), one('b', writing(services, ['metadata.labels']))],
    ],
    [undefined, one('a', services), one('b', services)],
    [
      'a and b both write spec.replicas of Deployment.apps',
      ...[
        one('a', writing(deployments, ['spec.replicas'])),
        { ...one('b'), scales: [deployments] },
      ],
    ],
    [
      'a and b both write spec.maxReplicas of HorizontalPodAutoscaler.autoscaling',
      one('a', writing(autoscalersV1, ['spec.maxReplicas'])),
      one('b', writing(autoscalersV2, ['spec.maxReplicas'])),
    ],
    [
      'a and b both write status.conditions of Deployment.apps',
      one('a', writing(deployments, ['status.conditions'])),
      defineController({ name: 'b', for: deployments, reconcile }),
    ],
    [
      'a and b both write status of Deployment.apps',
      one('a', writing(deployments, ['status'])),
      defineController({
        ...{ name: 'b', for: configMaps, owns: [deployments], writes: [deployments], reconcile },
      }),
    ],
    [
      undefined,
      one('a', writing(deployments, ['status'])),
      defineController({ name: 'b', for: configMaps, owns: [deployments], reconcile }),
    ],
  ]
  for (const [message, ...controllers] of cases) assert.is(refused(controllers), message)
  assert.throws(
    () => createManager({ client, controllers: [one('a', selector), one('b', selector)] }),
    /: name in `writes` of each of them, by writing\(\), fields that no other one writes$/,
  )
})

test.run()
