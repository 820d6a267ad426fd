import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  decideRevision,
  type Revision,
  surplusRevisions,
} from '../../../../runtime/controller-manager/workloads/revisions/decide-revision.ts'
import {
  revisionData,
  revisionHash,
  templateOf,
} from '../../../../runtime/controller-manager/workloads/revisions/revision-data.ts'

const test = suite('runtime/controller-manager/workloads: revisions (T-03, T-04)')

/** A template as the server gives it. */
const template = {
  metadata: { creationTimestamp: null, annotations: { x: 'a<b>&c' }, labels: { app: 'web' } },
  spec: {
    volumes: [{ name: 'cfg', emptyDir: {} }],
    containers: [
      {
        ...{ name: 'main', image: 'nginx:1', resources: { requests: { cpu: '500m' } } },
        volumeMounts: [{ name: 'data', mountPath: '/d' }],
        ...{ terminationMessagePath: '/dev/termination-log', terminationMessagePolicy: 'File' },
        imagePullPolicy: 'IfNotPresent',
      },
    ],
    ...{ restartPolicy: 'Always', terminationGracePeriodSeconds: 0, dnsPolicy: 'ClusterFirst' },
    ...{ securityContext: {}, schedulerName: 'default-scheduler' },
  },
} as const

function revision(name: string, number: number, image = name): Revision {
  const metadata = { name, creationTimestamp: `2030-01-01T00:00:0${number}Z` }
  return { metadata, revision: number, data: dataOf(image) } as never
}

function dataOf(image: string) {
  return revisionData({ spec: { containers: [{ name: 'main', image }] } } as never)
}

test('a revision stores its template as a patch with keys in order, and gives it back', () => {
  const data = revisionData(template as never)
  const { $patch, ...rest } = (data as never as { spec: { template: { $patch: string } } }).spec
    .template
  assert.is($patch, 'replace')
  assert.equal(Object.keys(rest), ['metadata', 'spec'])
  assert.equal(templateOf({ data } as never), template)
  assert.is(templateOf({ data: { spec: {} } } as never), undefined)
})

test('its hash is the one that other programs of the field compute', () => {
  const data = revisionData(template as never)
  assert.is(revisionHash(data, 0), '845dd7869')
  assert.is.not(revisionHash(data, 1), '845dd7869')
})

test('the newest revision that stores the data is used', () => {
  const [a, b] = [revision('a', 1), revision('b', 2)]
  assert.equal(decideRevision([b, a], dataOf('b')), { latest: b, number: 2, duplicates: [] })
})

test('data that nothing stores makes a revision with the next number', () => {
  const found = { latest: undefined, duplicates: [] }
  assert.equal(decideRevision([], dataOf('a')), { ...found, number: 1 })
  assert.equal(decideRevision([revision('a', 7)], dataOf('b')), { ...found, number: 8 })
})

test('going back gives an old revision a number above all others', () => {
  const [a, b, c] = [revision('a', 1), revision('b', 2), revision('c', 3)]
  assert.equal(decideRevision([a, b, c], dataOf('a')), { latest: a, number: 4, duplicates: [] })
})

test('revisions that store the same are told', () => {
  const [a, again] = [revision('a', 1), revision('again', 2, 'a')]
  const plan = decideRevision([a, again], dataOf('a'))
  assert.equal(plan, { latest: again, number: 2, duplicates: [a] })
})

test('the oldest unused revisions beyond the limit go', () => {
  const [a, b, c] = [revision('a', 1), revision('b', 2), revision('c', 3)]
  assert.equal(surplusRevisions([c, a, b], 1), [a, b])
  assert.equal(surplusRevisions([c, a, b], 3), [])
  assert.equal(surplusRevisions([c, a, b], -1), [])
  assert.equal(surplusRevisions([a], 0), [a])
})

test.run()
