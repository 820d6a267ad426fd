import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { replicaSets } from '../../../../generated/apis/apps/v1/replica-set.ts'
import { type Pod, pods } from '../../../../generated/apis/core/v1/pod.ts'
import { claim, settleClaim } from '../../../../runtime/controller-manager/pods/claim.ts'
import { isStatus } from '../../../../runtime/kernel/errors/status-error.ts'
import type { Stored } from '../../../../runtime/kernel/meta/object.ts'
import { startControlPlane } from '../../../../runtime/testing/testing.ts'

const test = suite('runtime/controller-manager: claim (T-02)')

const at = '2030-01-01T00:00:00Z'
const controlledBy = (uid: string) => ({ ownerReferences: [{ uid, controller: true }] })
const labelled = { labels: { app: 'web' } }

const cases: readonly (readonly [name: string, metadata: object, found: string, gone?: boolean])[] =
  [
    ['what it controls and selects is its own', { ...labelled, ...controlledBy('me') }, 'owned'],
    ['also while it goes', { ...labelled, ...controlledBy('me') }, 'owned', true],
    ['what it controls and does not select is released', controlledBy('me'), 'release'],
    ['but not while it goes', controlledBy('me'), '', true],
    ['what nobody controls and it selects is adopted', labelled, 'adopt'],
    ['but not while it goes', labelled, '', true],
    ['nor what goes itself', { ...labelled, deletionTimestamp: at }, ''],
    ['what nobody selects is let be', {}, ''],
    ['what another one controls is let be', { ...labelled, ...controlledBy('other') }, ''],
  ]

for (const [name, metadata, found, gone = false] of cases) {
  test(name, () => {
    const owner = { metadata: { uid: 'me', ...(gone && { deletionTimestamp: at }) } }
    const selector = { matchLabels: { app: 'web' } }
    const result = claim([{ metadata }] as never, { owner: owner as never, selector })
    const [where = ''] = Object.entries(result).flatMap(([key, list]) =>
      list.length > 0 ? [key] : [],
    )
    assert.is(where, found)
  })
}

test('pods are adopted and released, but not if they have changed, or their owner goes', async () => {
  await using plane = await startControlPlane()
  const { client } = plane
  const spec = { containers: [{ name: 'main', image: 'work' }] }
  const template = { metadata: { labels: { app: 'web' } }, spec }
  const selector = { matchLabels: { app: 'web' } }
  const owner = await client
    .resource(replicaSets)
    .in('default')
    .create({ metadata: { name: 'web' }, spec: { selector, template } })
  const all = client.resource(pods).in('default')
  const other = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'n' }
  const orphan = await all.create({
    metadata: { name: 'a', ...labelled, ownerReferences: [other] },
    spec,
  })
  const settle = (pod: Stored<Pod>) =>
    settleClaim(claim([pod], { owner, selector }), {
      ...{ client, kind: pods, owner, ownerKind: replicaSets },
    })
  const [adopted] = await settle(orphan)
  assert.equal(
    adopted?.metadata.ownerReferences?.map(({ uid, controller, blockOwnerDeletion }) => [
      ...[uid, controller, blockOwnerDeletion],
    ]),
    [
      ['n', undefined, undefined],
      [owner.metadata.uid, true, true],
    ],
  )
  const conflict = (error: Error) => isStatus(error, 'Conflict')
  assert.ok(
    conflict(
      await settle(orphan).then(
        () => new Error('adopted twice'),
        (error) => error,
      ),
    ),
  )
  const stray = await all.mergePatch('a', { metadata: { labels: { app: null } } })
  assert.equal(await settle(stray), [])
  const released = await all.get('a')
  assert.equal(
    released.metadata.ownerReferences?.map(({ uid }) => uid),
    ['n'],
  )
  const back = await all.mergePatch('a', { metadata: { labels: { app: 'web' } } })
  await client.resource(replicaSets).delete(owner, { propagationPolicy: 'Foreground' })
  assert.ok(
    conflict(
      await settle(back).then(
        () => new Error('adopted'),
        (error) => error,
      ),
    ),
  )
})

test.run()
