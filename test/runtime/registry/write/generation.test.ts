/** What counts as a new generation, kind by kind. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  body,
  inDefault,
  kindAt,
  type OpenRegistry,
  openRegistry,
  quiet,
} from '../../../support/registry.ts'

const tests = suite<OpenRegistry>('runtime/registry/write: generations')

tests.before(async (context) => {
  Object.assign(context, await openRegistry())
})
tests.after(({ close }) => close())

type Generation = number | undefined
const labels = { metadata: { labels: { a: 'b' } } }
const annotations = { metadata: { annotations: { a: 'b' } } }
const template = {
  metadata: { labels: { a: 'b' } },
  spec: { containers: [{ name: 'a', image: 'a' }] },
}
const workload = { spec: { selector: { matchLabels: { a: 'b' } }, template } }

const rows: readonly (readonly [
  name: string,
  path: string,
  content: object,
  patch: object,
  before: Generation,
  after: Generation,
])[] = [
  [
    'a priority class keeps the first',
    'apis/scheduling.orch.io/v1/priorityclasses',
    { value: 1 },
    { description: 'x' },
    1,
    1,
  ],
  [
    'labels of a slice count',
    'apis/discovery.orch.io/v1/endpointslices',
    { addressType: 'IPv4', endpoints: [] },
    labels,
    1,
    2,
  ],
  [
    'annotations of a slice do not',
    'apis/discovery.orch.io/v1/endpointslices',
    { addressType: 'IPv4', endpoints: [] },
    annotations,
    1,
    1,
  ],
  [
    'tokens of a driver count',
    'apis/storage.orch.io/v1/csidrivers',
    { spec: {} },
    { spec: { tokenRequests: [{ audience: 'a' }] } },
    undefined,
    1,
  ],
  [
    'policies of a driver do not',
    'apis/storage.orch.io/v1/csidrivers',
    { spec: {} },
    { spec: { storageCapacity: true } },
    undefined,
    undefined,
  ],
  ['annotations of a deployment count', 'apis/apps/v1/deployments', workload, annotations, 1, 2],
  ['labels of a deployment do not', 'apis/apps/v1/deployments', workload, labels, 1, 1],
  [
    'annotations of other workloads do not',
    'apis/apps/v1/replicasets',
    workload,
    annotations,
    1,
    1,
  ],
]

rows.forEach(([name, path, content, patch, before, after], index) => {
  tests(name, async ({ registry }) => {
    const kind = kindAt(path)
    const own = { name: `g${index}` }
    const target = kind.scope === 'Namespaced' ? { ...inDefault(kind), ...own } : { kind, ...own }
    const { name: _, ...collection } = target
    const created = await registry.create(collection, body({ ...content, metadata: own }), quiet)
    const { item } = await registry.patch(target, 'merge', body(patch), quiet)
    const generations = [created.item, item].map((one) => one.object().metadata.generation)
    assert.equal(generations, [before, after])
    const metadata = JSON.parse(item.bytes.toString()).metadata
    const names = Object.keys(metadata).filter((key) => /generation|creationTimestamp/.test(key))
    if (after !== undefined) assert.equal(names, ['generation', 'creationTimestamp'])
  })
})

tests.run()
