import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { deployments } from '../../../../generated/apis/apps/v1/deployment.ts'
import { configMaps } from '../../../../generated/apis/core/v1/config-map.ts'
import { namespaces } from '../../../../generated/apis/core/v1/namespace.ts'
import { secrets } from '../../../../generated/apis/core/v1/secret.ts'
import {
  accessRules,
  defineController,
  done,
  type KeyController,
  owning,
  watching,
} from '../../../../runtime/reconcile/reconcile.ts'

const test = suite('runtime/reconcile: access rules')

const reconcile = async () => done
const reads = ['get', 'list', 'watch']
const all = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch']

test('a controller reads what it is for, and writes its status', () => {
  const controller = defineController({ name: 'c', for: deployments, reconcile })
  assert.equal(accessRules([controller]), {
    cluster: [],
    everywhere: [
      { apiGroups: ['apps'], resources: ['deployments'], verbs: reads },
      { apiGroups: ['apps'], resources: ['deployments/status'], verbs: ['get', 'patch', 'update'] },
    ],
    inNamespace: {},
  })
})

test('a kind without a status gives no right to one', () => {
  const controller = defineController({ name: 'c', for: configMaps, reconcile })
  const { everywhere } = accessRules([controller])
  assert.equal(everywhere, [{ apiGroups: [''], resources: ['configmaps'], verbs: reads }])
})

test('a cleanup writes the finalizer, and owned kinds are written', () => {
  const cleanup = { finalizer: 'example.com/x', run: reconcile }
  const owns = [configMaps, secrets]
  const { everywhere } = accessRules([
    defineController({ name: 'c', for: configMaps, owns: [secrets], cleanup, reconcile }),
    defineController({ name: 'd', for: secrets, owns, reconcile }),
  ])
  const group = { apiGroups: [''] }
  assert.equal(everywhere, [
    { ...group, resources: ['configmaps', 'secrets'], verbs: all },
    { ...group, resources: ['configmaps/finalizers', 'secrets/finalizers'], verbs: ['update'] },
  ])
})

test('what is owned or watched in some namespaces gives rights in these', () => {
  const controller = defineController({
    name: 'c',
    for: namespaces,
    owns: [owning(secrets, { namespaces: ['a', 'b'] })],
    watches: [watching(configMaps, () => [], { namespaces: ['a', 'c'] })],
    reconcile,
  })
  const { everywhere, inNamespace } = accessRules([controller])
  const group = { apiGroups: [''] }
  const secretsRule = { ...group, resources: ['secrets'], verbs: all }
  const mapsRule = { ...group, resources: ['configmaps'], verbs: reads }
  assert.equal(everywhere, [])
  assert.equal(inNamespace, { a: [mapsRule, secretsRule], b: [secretsRule], c: [mapsRule] })
})

test('who scales a kind may write its scale, and read it', () => {
  const controller = defineController({
    name: 'c',
    for: configMaps,
    scales: [deployments],
    reconcile,
  })
  const { everywhere } = accessRules([controller])
  const apps = { apiGroups: ['apps'] }
  assert.equal(everywhere, [
    { apiGroups: [''], resources: ['configmaps'], verbs: reads },
    { ...apps, resources: ['deployments'], verbs: reads },
    { ...apps, resources: ['deployments/scale'], verbs: ['get', 'patch', 'update'] },
  ])
})

test('a watch of one namespace gives rights there; a kind without namespaces is of the cluster', () => {
  const controller = defineController({
    name: 'c',
    for: namespaces,
    watches: [watching(secrets, () => [], { namespace: 'keys' }), watching(configMaps, () => [])],
    reconcile,
  })
  const { cluster, everywhere, inNamespace } = accessRules([controller])
  assert.equal(
    cluster.map(({ resources }) => resources),
    [['namespaces'], ['namespaces/status']],
  )
  assert.equal(everywhere, [{ apiGroups: [''], resources: ['configmaps'], verbs: reads }])
  assert.equal(inNamespace, {
    keys: [{ apiGroups: [''], resources: ['secrets'], verbs: reads }],
  })
})

test('a controller of keys has the rights that it declares', () => {
  const controller: KeyController = {
    name: 'c',
    reads: [configMaps],
    writes: [secrets],
    reconcile,
  }
  assert.equal(accessRules([controller]).everywhere, [
    { apiGroups: [''], resources: ['configmaps'], verbs: reads },
    { apiGroups: [''], resources: ['secrets'], verbs: all },
  ])
})

test.run()
