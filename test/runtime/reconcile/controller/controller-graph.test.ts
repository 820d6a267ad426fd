// Which controller wakes which, as they declare it, and what is told about it.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { deployments } from '../../../../generated/apis/apps/v1/deployment.ts'
import { horizontalPodAutoscalers as autoscalersV1 } from '../../../../generated/apis/autoscaling/v1/horizontal-pod-autoscaler.ts'
import { horizontalPodAutoscalers as autoscalersV2 } from '../../../../generated/apis/autoscaling/v2/horizontal-pod-autoscaler.ts'
import { configMaps } from '../../../../generated/apis/core/v1/config-map.ts'
import { secrets } from '../../../../generated/apis/core/v1/secret.ts'
import { services } from '../../../../generated/apis/core/v1/service.ts'
import {
  type AnyController,
  controllerGraph,
  defineController,
  done,
  type KeyController,
  owning,
  watching,
  writing,
} from '../../../../runtime/reconcile/reconcile.ts'

const test = suite('runtime/reconcile: graph of controllers')

const reconcile = async () => done
const keys = () => []
const one = (name: string, rest: Partial<KeyController>): KeyController => ({
  name,
  reconcile,
  ...rest,
})

/** Who wakes whom, in a line each. */
function wakes(...controllers: readonly (AnyController | KeyController)[]): readonly string[] {
  return controllerGraph(controllers).wakes.map(
    ({ from, to, by, kind, fields = ['any'] }) => `${from} ${by} ${kind}(${fields}) ${to}`,
  )
}

function told(...controllers: readonly (AnyController | KeyController)[]): readonly string[] {
  return controllerGraph(controllers).findings.map(({ is, message }) => `${is}: ${message}`)
}

test('a field that one writes and another is woken by is a wake, whichever of both paths is the shorter one', () => {
  const write = one('a', { writes: [writing(services, ['spec.selector', 'metadata.labels[app]'])] })
  const watch = (...fields: ('spec' | 'metadata.labels' | 'spec.type' | 'spec.selector[x]')[]) =>
    one('b', { watches: [watching(services, keys, { fields })] })
  assert.equal(wakes(write, watch('spec')), ['a writes Service(spec.selector) b'])
  assert.equal(wakes(write, watch('metadata.labels')), ['a writes Service(metadata.labels[app]) b'])
  assert.equal(wakes(write, watch('spec.selector[x]')), ['a writes Service(spec.selector[x]) b'])
  assert.equal(wakes(write, watch('spec.type')), [])
  assert.equal(wakes(write, one('b', { watches: [watching(services, keys)] })), [
    'a writes Service(spec.selector,metadata.labels[app]) b',
  ])
})

test('who writes a kind whole wakes by any field, and by what comes and goes', () => {
  const whole = one('a', { writes: [services] })
  assert.equal(wakes(whole, one('b', { watches: [watching(services, keys)] })), [
    'a writes Service(any) b',
  ])
  const watch = watching(services, keys, { fields: ['status'] })
  assert.equal(wakes(whole, one('b', { watches: [watch] })), ['a writes Service(status) b'])
  assert.equal(wakes(whole, one('b', { watches: [watching(secrets, keys)] })), [])
})

test('what is owned wakes its owner, and not by its status', () => {
  const owner = defineController({ name: 'a', for: configMaps, owns: [deployments], reconcile })
  const reader = defineController({
    name: 'b',
    for: deployments,
    scope: { fields: ['status'] },
    reconcile,
  })
  assert.equal(wakes(owner), ['a ensure Deployment.apps(any) a'])
  assert.equal(wakes(owner, reader), [
    'a ensure Deployment.apps(any) a',
    'a ensure Deployment.apps() b',
    'b setStatus Deployment.apps(status) a',
    'b setStatus Deployment.apps(status) b',
  ])
  const narrow = defineController({
    ...owner,
    owns: [owning(deployments, { fields: ['status.readyReplicas'] })],
  })
  assert.equal(wakes(narrow), ['a ensure Deployment.apps() a'])
})

test('a generation counts what is asked for', () => {
  const watch = one('b', {
    watches: [watching(deployments, keys, { fields: ['metadata.generation'] })],
  })
  const write = (...fields: ('spec.replicas' | 'status' | 'metadata.labels')[]) =>
    one('a', { writes: [writing(deployments, fields)] })
  assert.equal(wakes(write('spec.replicas'), watch), [
    'a writes Deployment.apps(metadata.generation) b',
  ])
  assert.equal(wakes(write('status', 'metadata.labels'), watch), [])
  assert.equal(wakes(one('a', { scales: [deployments] }), watch), [
    'a scale Deployment.apps(metadata.generation) b',
  ])
})

test('versions of a kind are one', () => {
  const write = one('a', { writes: [writing(autoscalersV1, ['spec.maxReplicas'])] })
  const watch = one('b', { watches: [watching(autoscalersV2, keys)] })
  assert.equal(wakes(write, watch), [
    'a writes HorizontalPodAutoscaler.autoscaling(spec.maxReplicas) b',
  ])
})

test('a circle by ensure and setStatus is a note, one with another write a warning', () => {
  const owner = defineController({
    name: 'a',
    for: deployments,
    owns: [configMaps],
    reads: [],
    reconcile,
  })
  assert.equal(told(owner), [
    'note: a wakes itself by ConfigMap, status of Deployment.apps: it ends, since ensure and setStatus write only what differs',
  ])
  const writer = one('b', { watches: [watching(configMaps, keys)], scales: [deployments] })
  assert.equal(told(owner, writer), [
    'warning: a wakes b by ConfigMap, b wakes a by spec.replicas of Deployment.apps: write only what differs, or leave the field out of the `fields` that wake',
    'note: a wakes itself by ConfigMap, status of Deployment.apps: it ends, since ensure and setStatus write only what differs',
  ])
})

test('a circle is told once, whatever its length', () => {
  const next = (name: string, from: typeof services, to: typeof services) =>
    one(name, { watches: [watching(from, keys)], writes: [to] })
  const [a, b, c] = [
    next('a', services, secrets as never),
    next('b', secrets as never, configMaps as never),
    next('c', configMaps as never, services),
  ]
  assert.equal(told(a, b, c), [
    'warning: a wakes b by Secret, b wakes c by ConfigMap, c wakes a by Service: write only what differs, or leave the field out of the `fields` that wake',
  ])
})

test('what only comes or goes makes no circle', () => {
  const scope = { fields: ['data'] } as const
  const maker = defineController({
    ...{ name: 'a', for: configMaps, scope, reconcile },
    owns: [configMaps],
    writes: [writing(configMaps, ['metadata.labels'])],
  })
  const { findings, wakes: found } = controllerGraph([
    { ...maker, owns: [owning(configMaps, scope)] },
  ])
  assert.equal(
    found.map(({ fields }) => fields),
    [[], []],
  )
  assert.equal(findings, [])
})

test('who is woken by nothing, what is not read and what is not declared is told', () => {
  assert.equal(told(one('a', { reads: [] })), [
    'warning: nothing wakes a: it has no watches, no seeds and no sources',
  ])
  for (const rest of [{ seeds: [{ name: 'x' }] }, { sources: [async function* () {}] }]) {
    assert.equal(told(one('a', { ...rest, reads: [] })), [])
  }
  const writer = one('a', { seeds: [{ name: 'x' }], writes: [secrets] })
  assert.equal(told(writer), ['note: a writes Secret, which no controller watches or reads'])
  assert.equal(told(writer, one('b', { seeds: [{ name: 'x' }], reads: [secrets] })), [])
  const plain = defineController({ name: 'b', for: configMaps, reconcile })
  assert.equal(told(plain, { ...plain, name: 'c' }), [
    'note: not known is what b, c write by `client`: declare `reads` and `writes`',
  ])
})

test.run()
