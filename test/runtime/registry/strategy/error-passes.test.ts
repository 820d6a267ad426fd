/** What an update is judged for more than once is told as often, as public servers do (finding Wire 17). */
import * as assert from 'uvu/assert'
import { kindAt } from '../../../support/registry.ts'
import { type Given, isRefused, type Stored } from '../../apis/outcome.ts'
import { writing } from '../../apis/tables.ts'

const test = writing('runtime/registry/strategy: error passes')

const rbac = 'apis/rbac.authorization.orch.io/v1'
const subject = { kind: 'User', name: 'eve' }
const roleRef = { apiGroup: 'rbac.authorization.orch.io', kind: 'Role', name: 'read' }
const label = (object: Stored): Stored => ({
  ...object,
  metadata: { ...object.metadata, labels: { '-a': '' } },
})
const finalizer = (object: Stored): Stored => ({
  ...object,
  metadata: { ...object.metadata, finalizers: ['a=b'] },
})

/** Each field that is told of, and how often. */
const table: readonly (readonly [
  path: string,
  given: Given,
  change: (object: Stored) => Stored,
  want: Readonly<Record<string, number>>,
])[] = [
  ['api/v1/configmaps', {}, label, { 'metadata.labels': 4 }],
  ['api/v1/limitranges', { spec: { limits: [] } }, label, { 'metadata.labels': 3 }],
  ['api/v1/resourcequotas', {}, label, { 'metadata.labels': 3 }],
  ['api/v1/persistentvolumeclaims', claim(), label, { 'metadata.labels': 5 }],
  ['apis/policy/v1/poddisruptionbudgets', {}, label, { 'metadata.labels': 2 }],
  [`${rbac}/roles`, {}, finalizer, { 'metadata.finalizers': 3, 'metadata.finalizers[0]': 3 }],
  [
    `${rbac}/rolebindings`,
    { subjects: [subject], roleRef },
    (object) => ({
      ...object,
      subjects: [{ ...subject, kind: 'x' }],
      roleRef: { ...roleRef, name: 'b' },
    }),
    { 'subjects[0].kind': 2, roleRef: 1 },
  ],
  [
    'apis/apps/v1/deployments',
    workload(),
    (object) => ({ ...label(object), spec: { ...(object.spec as object), replicas: -1 } }),
    { 'metadata.labels': 3, 'spec.replicas': 1 },
  ],
  [
    'apis/apps/v1/replicasets',
    workload(),
    (object) => ({ ...object, spec: { ...(object.spec as object), replicas: -1 } }),
    { 'spec.replicas': 2 },
  ],
  [
    'apis/apps/v1/replicasets',
    workload(),
    (object) => ({
      ...object,
      spec: { ...(object.spec as object), selector: { matchLabels: { a: 'b' } } },
    }),
    { 'spec.template.metadata.labels': 2, 'spec.selector': 1 },
  ],
]

function claim(): Given {
  return { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1' } } } }
}

function workload(): Given {
  const labels = { app: 'web' }
  const pod = { containers: [{ name: 'main', image: 'example/app' }] }
  return {
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod } },
  }
}

for (const [path, given, change, want] of table) {
  const told = Object.entries(want).map(([field, count]) => `${field} ${count} times`)
  test(`an update at ${path} is told ${told.join(' and ')} (E-03)`, async ({ writer }) => {
    const outcome = await writer.update(kindAt(path), given, change)
    assert.ok(isRefused(outcome))
    const fields = outcome.map((text) => text.slice(0, text.indexOf(': ')))
    const counts: Record<string, number> = {}
    for (const field of fields) counts[field] = (counts[field] ?? 0) + 1
    assert.equal(counts, want)
  })
}

test('what every update is judged for comes first, then each pass of the kind', async ({
  writer,
}) => {
  const kind = kindAt(`${rbac}/rolebindings`)
  const outcome = await writer.update(kind, { subjects: [subject], roleRef }, (object) => ({
    ...finalizer(object),
    subjects: [{ ...subject, name: '' }],
    roleRef: { ...roleRef, name: 'other' },
  }))
  assert.ok(isRefused(outcome))
  const whole = ['metadata.finalizers', 'metadata.finalizers[0]', 'subjects[0].name']
  const fields = outcome.map((text) => text.slice(0, text.indexOf(': ')))
  const changes = ['metadata.finalizers[0]', 'roleRef']
  assert.equal(fields, ['metadata.finalizers', ...whole, ...whole, ...changes])
})

test('metadata of a disruption budget is judged where nothing else is wrong', async ({
  writer,
}) => {
  const kind = kindAt('apis/policy/v1/poddisruptionbudgets')
  const metadata = { labels: { '-a': '' } }
  const fieldsOf = async (given: Given) => {
    const outcome = await writer.create(kind, given)
    assert.ok(isRefused(outcome))
    return outcome.map((text) => text.slice(0, text.indexOf(': ')))
  }
  assert.equal(await fieldsOf({ metadata }), ['metadata.labels'])
  assert.equal(await fieldsOf({ metadata, spec: { minAvailable: -1 } }), ['spec.minAvailable'])
})

test.run()
