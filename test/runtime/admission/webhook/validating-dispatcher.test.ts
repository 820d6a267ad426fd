import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isStatus } from '../../../../runtime/kernel/errors/status-error.ts'
import { change, make, pod } from '../../../support/admission.ts'
import { deployment, dry, kindAt, quiet } from '../../../support/registry.ts'
import { assertRejects } from '../../../support/rejects.ts'
import {
  allow,
  answered,
  deny,
  openWithWebhooks,
  type ReceivedReview,
  type RegistryWithWebhooks,
  rule,
  withHooks,
} from '../../../support/webhooks.ts'

const test = suite<RegistryWithWebhooks>('runtime/admission/webhook: validating')

test.before(async (context) => {
  Object.assign(context, await openWithWebhooks())
})
test.after(({ close }) => close())

const maps = 'api/v1/configmaps'
let next = 0
const map = (more: object = {}) => ({ metadata: { name: `m${next++}`, ...more }, data: { a: 'b' } })

/** What is not the same in every run. */
function steady({ uid, object, oldObject, ...rest }: ReceivedReview) {
  return rest
}

test('a creation is asked about as it will be stored (Q-04)', async (opened) => {
  await withHooks(opened, [{ name: 'look', answer: allow }], async (asked) => {
    const { object } = await make<{ metadata: { name: string } }>(opened, maps, map())
    const [one] = asked
    assert.is(asked.length, 1)
    assert.ok(one)
    assert.equal(steady(one), {
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
      requestResource: { group: '', version: 'v1', resource: 'configmaps' },
      name: object.metadata.name,
      namespace: 'default',
      operation: 'CREATE',
      userInfo: {
        username: 'system:apiserver',
        groups: ['system:masters', 'system:authenticated'],
      },
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: 'meta.orch.io/v1' },
    })
    assert.is(one.oldObject, null)
    const { resourceVersion, ...metadata } = object.metadata as Record<string, unknown>
    assert.equal(one.object, { kind: 'ConfigMap', apiVersion: 'v1', metadata, data: { a: 'b' } })
  })
})

test('a change shows both objects, a deletion the old one only (Q-02, Q-04)', async (opened) => {
  await make(opened, maps, { metadata: { name: 'both' }, data: { a: '1' } })
  await withHooks(opened, [{ name: 'look', answer: allow }], async (asked) => {
    await change(opened, maps, 'both', { data: { a: '2' } })
    const kind = kindAt(maps)
    const target = { kind, namespace: 'default', name: 'both' }
    await opened.registry.delete(target, { dryRun: false, propagationPolicy: 'Background' })
    const datas = asked.map((one) =>
      [one.object, one.oldObject].map((side) => (side as { data?: { a: string } } | null)?.data?.a),
    )
    assert.equal(datas, [
      ['2', '1'],
      [undefined, '2'],
    ])
    assert.equal(
      asked.map(({ operation, name, options }) => [operation, name, options]),
      [
        ['UPDATE', 'both', { kind: 'UpdateOptions', apiVersion: 'meta.orch.io/v1' }],
        [
          'DELETE',
          'both',
          {
            kind: 'DeleteOptions',
            apiVersion: 'meta.orch.io/v1',
            propagationPolicy: 'Background',
          },
        ],
      ],
    )
    assert.is(asked[1]?.object, null)
  })
})

test('each object of a collection is asked about when all are deleted (Q-02, X-11)', async (opened) => {
  const namespace = 'crowd'
  await make(opened, 'api/v1/namespaces', { metadata: { name: namespace } })
  for (const name of ['a', 'b', 'c']) await make(opened, maps, map({ namespace, name }))
  const answer = (review: Parameters<typeof allow>[0]) =>
    review.request.name === 'b' ? deny({ message: 'b stays' })(review) : allow(review)
  const fields = { rules: [rule(['configmaps'], { operations: ['DELETE'] })] }
  await withHooks(opened, [{ name: 'stay', answer, fields }], async (asked) => {
    const target = { kind: kindAt(maps), namespace }
    const work = opened.registry.deleteCollection(target, {}, { dryRun: false })
    const error = await assertRejects(work, '')
    assert.match(error.message, 'admission webhook "stay.example.com" denied the request: b stays')
    assert.ok(asked.every(({ operation }) => operation === 'DELETE'))
    const { items } = await opened.registry.list({ kind: kindAt(maps), namespace }, {})
    assert.ok(items.some((item) => item.object().metadata.name === 'b'))
  })
})

test('a subresource shows its own kind (Q-04, I-10)', async (opened) => {
  const path = 'apis/apps/v1/deployments'
  await make(opened, path, deployment('web') as never)
  const fields = { rules: [rule(['deployments/scale'])] }
  await withHooks(opened, [{ name: 'look', answer: allow, fields }], async (asked) => {
    await change(opened, path, 'web', { metadata: { labels: { a: 'b' } } })
    assert.is(asked.length, 0, 'the object itself is no subresource')
    await change(opened, path, 'web', { spec: { replicas: 3 } }, { subresource: 'scale' })
    const [one] = asked
    assert.equal(
      [one?.kind, one?.resource, one?.subResource, one?.requestKind, one?.requestSubResource],
      [
        { group: 'autoscaling', version: 'v1', kind: 'Scale' },
        { group: 'apps', version: 'v1', resource: 'deployments' },
        'scale',
        { group: 'autoscaling', version: 'v1', kind: 'Scale' },
        'scale',
      ],
    )
    const { spec } = (one as ReceivedReview).object as unknown as { spec: object }
    assert.equal(spec, { replicas: 3 })
  })
})

test('an eviction is the creation of one (Q-02)', async (opened) => {
  await make(opened, 'api/v1/pods', pod('leaver'))
  const fields = { rules: [rule(['pods/eviction', 'pods'])] }
  await withHooks(opened, [{ name: 'look', answer: allow, fields }], async (asked) => {
    const target = {
      kind: kindAt('api/v1/pods'),
      namespace: 'default',
      name: 'leaver',
      subresource: 'eviction',
    }
    const value = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'leaver' } }
    await opened.registry.act(target, { value, duplicates: [] }, quiet)
    const [one] = asked
    assert.is(one?.operation, 'CREATE')
    assert.is(one?.subResource, 'eviction')
    assert.is(one?.object?.kind, 'Eviction')
  })
})

test('a namespace is in itself (Q-04, Q-07)', async (opened) => {
  const fields = { rules: [rule(['namespaces'])] }
  await withHooks(opened, [{ name: 'look', answer: allow, fields }], async (asked) => {
    await make(opened, 'api/v1/namespaces', { metadata: { name: 'own' } })
    assert.is(asked[0]?.namespace, 'own')
    assert.is(asked[0]?.name, 'own')
  })
})

test('a webhook is asked in the first of its versions that is known (Q-04)', async (opened) => {
  const fields = { admissionReviewVersions: ['v2', 'v1beta1', 'v1'] }
  const versions: string[] = []
  const answer = (review: Parameters<typeof allow>[0]) => {
    versions.push(`${review.kind} ${review.apiVersion}`)
    return { response: { allowed: true } }
  }
  await withHooks(opened, [{ name: 'old', answer, fields }], async () => {
    await make(opened, maps, map())
    assert.equal(versions, ['AdmissionReview admission.orch.io/v1beta1'])
  })
})

const denials: readonly [string, object | undefined, number, string, string][] = [
  ['no status', undefined, 400, '', 'without explanation'],
  ['a message', { message: 'not on Fridays' }, 400, '', ': not on Fridays'],
  ['a reason', { reason: 'Forbidden' }, 400, 'Forbidden', ': Forbidden'],
  ['a code', { code: 403, message: 'no' }, 403, '', ': no'],
  ['a code of success', { code: 200, status: 'Success' }, 400, '', 'without explanation'],
  ['all', { code: 422, reason: 'Invalid', message: 'odd' }, 422, 'Invalid', ': odd'],
]

for (const [what, status, code, reason, why] of denials) {
  test(`a refusal with ${what} is told in these words (Q-05)`, async (opened) => {
    await withHooks(opened, [{ name: 'no', answer: deny(status) }], async () => {
      const error = await assertRejects(make(opened, maps, map()), reason as 'Forbidden')
      const end = why.startsWith(':') ? why : ` ${why}`
      assert.is(error.message, `admission webhook "no.example.com" denied the request${end}`)
      assert.is(error.code, code)
    })
  })
}

test('what a refusal says of details comes through (Q-05)', async (opened) => {
  const causes = [{ reason: 'FieldValueInvalid', message: 'too big', field: 'spec.size' }]
  const details = { name: 'x', kind: 'Widget', causes, extra: 1 }
  const answer = deny({ code: 422, reason: 'Invalid', message: 'odd', details })
  await withHooks(opened, [{ name: 'no', answer }], async () => {
    const error = await assertRejects(make(opened, maps, map()), 'Invalid')
    assert.equal(error.details, { name: 'x', kind: 'Widget', causes })
  })
})

test('of several refusals the first in order is told, and all were asked (Q-08)', async (opened) => {
  const hooks = ['c', 'a', 'b'].map((name) => ({ name, answer: deny({ message: name }) }))
  await withHooks(opened, hooks, async (asked) => {
    const error = await assertRejects(make(opened, maps, map()), '')
    assert.is(error.message, 'admission webhook "a.example.com" denied the request: a')
    assert.is(asked.length, 3)
  })
})

test('they are asked at once (Q-08)', async (opened) => {
  let waiting: (() => void)[] = []
  const answer = async (review: Parameters<typeof allow>[0]) => {
    await new Promise<void>((resolve) => {
      waiting.push(resolve)
      if (waiting.length < 3) return
      for (const go of waiting) go()
      waiting = []
    })
    return allow(review)
  }
  const hooks = ['a', 'b', 'c'].map((name) => ({ name, answer }))
  await withHooks(opened, hooks, async (asked) => {
    await make(opened, maps, map())
    assert.is(asked.length, 3)
  })
})

test('warnings come through, of refusals and of permissions (Q-10)', async (opened) => {
  const answer = (review: Parameters<typeof allow>[0]) =>
    answered(review, { allowed: true, warnings: ['old style', 'old style', 'deprecated'] })
  await withHooks(opened, [{ name: 'tell', answer }], async () => {
    const { warnings } = await make(opened, maps, map())
    assert.equal(warnings, ['old style', 'deprecated'])
  })
})

test('a dry run asks only who leaves nothing behind (A7.9, A4.69, F-11, F-12)', async (opened) => {
  const cases: readonly [string, boolean][] = [
    ['None', true],
    ['NoneOnDryRun', true],
  ]
  for (const [sideEffects, harmless] of cases) {
    const hook = { name: 'effects', answer: allow, fields: { sideEffects } }
    await withHooks(opened, [hook], async (asked) => {
      await make(opened, maps, map(), dry)
      assert.is(asked.length === 1, harmless)
      assert.is(asked[0]?.dryRun, true)
      const { dryRun } = (asked[0] as ReceivedReview).options as {
        readonly dryRun: readonly string[]
      }
      assert.equal(dryRun, ['All'])
    })
  }
})

test('a refused write leaves nothing, a later one is not harmed (Q-05)', async (opened) => {
  const metadata = { name: 'again' }
  await withHooks(opened, [{ name: 'no', answer: deny() }], async () => {
    const failed = await make(opened, maps, { metadata }).catch((error: unknown) => error)
    assert.ok(isStatus(failed))
  })
  await make(opened, maps, { metadata })
})

test('the configurations themselves are never asked about (Q-07)', async (opened) => {
  const fields = { rules: [rule(['*/*'])] }
  await withHooks(opened, [{ name: 'all', answer: deny(), fields }], async (asked) => {
    await withHooks(opened, [{ name: 'other', answer: allow }], async () => {})
    assert.is(asked.length, 0)
    await assertRejects(make(opened, maps, map()), '')
  })
})

test.run()
