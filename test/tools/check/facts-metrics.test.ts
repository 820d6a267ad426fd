import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ownApi } from '../../../tools/check/facts.ts'
import { metricsIn } from '../../../tools/check/facts-documents.ts'
import type { Facts, MetricFact } from '../../../tools/check/facts-file.ts'
import { metricDifferences } from '../../../tools/check/facts-metrics.ts'
import { factsOf } from '../../support/facts.ts'

const test = suite('tools/check: facts about metrics')

const api = await ownApi()

/** What a facts file says, as far as metrics go. */
const differences = (metrics: readonly MetricFact[]) =>
  metricDifferences(api, { metrics } as unknown as Facts)

/** A row of the table; `~` stands for what the documents leave open. */
function factIn([, name = '', ...cells]: readonly string[]): MetricFact {
  const [type, stability, labels, daemon] = cells.map((cell) => (cell === '~' ? undefined : cell))
  return {
    name,
    ...(type && { type }),
    ...(stability && { stability }),
    ...(labels && { labels: labels.split(',') }),
    ...(daemon && { daemon }),
  }
}

const named = factsOf('metrics.txt').map(factIn)

// H-08, H-09, H-10, H-12, A9.23
test('every metric that the documents name is in the schemas as they say, and no other is stable', () => {
  assert.is(named.length, 31)
  assert.equal(differences(named), [])
})

test('every difference is a line of its own', () => {
  const wrong: readonly MetricFact[] = [
    ...named.filter(({ name }) => name !== 'apiserver_storage_objects'),
    { name: 'apiserver_nothing_total' },
    { name: 'nothing_*' },
    { name: 'orchlet_*', daemon: 'apiserver' },
    { name: 'orch_build_info', type: 'counter', stability: 'STABLE', daemon: 'agent' },
    { name: 'go_info', labels: ['major', 'version'] },
    { name: 'workqueue_depth', daemon: 'agent' },
  ]
  assert.equal(differences(wrong), [
    'apiserver_nothing_total: there is no such metric',
    'nothing_*: there is no metric of this family',
    'orchlet_*: is not served by the daemon apiserver',
    'orch_build_info: type is gauge, should be counter',
    'orch_build_info: stability is ALPHA, should be STABLE',
    'go_info: labels is ["version"], should be ["major","version"]',
    'workqueue_depth: is not served by the daemon agent',
    'apiserver_storage_objects: extra stable metric',
  ])
})

test('facts that say nothing of metrics differ in nothing', () => {
  assert.equal(metricDifferences(api, {} as Facts), [])
})

test('a document names metrics in rows and sentences', () => {
  const document = `
| X-1 | stable names | asked_total, took_seconds | T | M |
| X-2 | labels of the request counter | verb, scope (one, two), code; verb in capitals | T | S |
| X-3 | beta names | app_flow_ seats, waits_total; hidden_total | T | S |
| X-4 | other common names | queue_*, build_info; agent: small_* | T | S |
| X-5 | another row | nothing_total | T | S |

A request sets things; a gauge \`asked_old\` is set to 1 with labels group and \`release\`, joinable with \`asked_total\`.
`
  assert.equal(metricsIn(document), [
    { name: 'asked_total', stability: 'STABLE' },
    { name: 'took_seconds', stability: 'STABLE' },
    { name: 'apiserver_request_total', labels: ['verb', 'scope', 'code'] },
    { name: 'app_flow_seats', stability: 'BETA' },
    { name: 'app_flow_waits_total', stability: 'BETA' },
    { name: 'hidden_total', stability: 'BETA' },
    { name: 'queue_*' },
    { name: 'build_info' },
    { name: 'small_*', daemon: 'agent' },
    { name: 'asked_old', type: 'gauge', labels: ['group', 'release'] },
  ])
})

test.run()
