import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { podFromTemplate } from '../../../../runtime/controller-manager/pods/pod-from-template.ts'
import {
  isActive,
  isAvailable,
  nextAvailableMs,
  readySince,
} from '../../../../runtime/controller-manager/pods/pod-state.ts'
import { slowStart } from '../../../../runtime/controller-manager/pods/slow-start.ts'

const test = suite('runtime/controller-manager: pods')

const at = '2030-01-01T00:00:00Z'
const now = Date.parse(at)
const ready = (since: string | null = at) => ({
  metadata: {},
  status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: since }] },
})

test('a pod that has finished or goes is not active', () => {
  const active = (pod: object) => isActive({ metadata: {}, ...pod } as never)
  assert.is(active({}), true)
  assert.is(active({ status: { phase: 'Pending' } }), true)
  assert.is(active({ status: { phase: 'Failed' } }), false)
  assert.is(active({ status: { phase: 'Succeeded' } }), false)
  assert.is(active({ metadata: { deletionTimestamp: at } }), false)
})

test('a pod is available when it has been ready for longer than it must be', () => {
  const available = (pod: object, seconds: number, after: number) =>
    isAvailable(pod as never, seconds, now + after)
  assert.is(available({ metadata: {} }, 0, 0), false)
  assert.is(available(ready(), 0, 0), true)
  assert.is(available(ready(), 5, 5000), false)
  assert.is(available(ready(), 5, 5001), true)
  assert.is(available(ready(null), 5, 9000), false)
  assert.is(readySince(ready() as never), now)
  assert.is(readySince({ metadata: {} } as never), undefined)
})

test('when the next pod is available is known', () => {
  const next = (pods: readonly object[], seconds: number) =>
    nextAvailableMs(pods as never, seconds, now + 1000)
  assert.is(next([ready()], 0), undefined)
  assert.is(next([{ metadata: {} }], 5), undefined)
  assert.is(next([ready()], 5), 5000)
  assert.is(next([ready('2029-12-31T00:00:00Z'), ready()], 5), 5000)
})

test('a pod has what its template says, an owner, and no name of its own', () => {
  const template = {
    metadata: { labels: { a: 'b' }, annotations: { c: 'd' }, finalizers: ['e/f'], name: 'no' },
    spec: { containers: [] },
  }
  const owner = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    name: 'web',
    uid: 'u',
    controller: true,
  }
  const { metadata, spec } = podFromTemplate(template, owner)
  assert.equal(metadata, {
    generateName: 'web-',
    ...{ labels: { a: 'b' }, annotations: { c: 'd' }, finalizers: ['e/f'] },
    ownerReferences: [owner],
  })
  assert.equal(spec, template.spec)
  const long = 'x'.repeat(253)
  assert.is(podFromTemplate(template, { ...owner, name: long }).metadata.generateName, long)
})

test('a slow start doubles its rounds, and ends with one in which something failed', async () => {
  const rounds: number[] = []
  let open = 0
  const create = async (index: number) => {
    if (open === 0) rounds.push(0)
    open += 1
    rounds[rounds.length - 1]! += 1
    await Promise.resolve()
    open -= 1
    if (index === 5) throw new Error('full')
  }
  assert.equal(await slowStart(3, create), { made: 3, error: undefined })
  assert.equal(rounds.splice(0), [1, 2])
  const { made, error } = await slowStart(100, create)
  assert.is(made, 6)
  assert.is((error as Error).message, 'full')
  assert.equal(rounds, [1, 2, 4])
  assert.equal(await slowStart(0, create), { made: 0, error: undefined })
})

test.run()
