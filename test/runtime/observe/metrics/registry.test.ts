import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { MetricFacts } from '../../../../runtime/kernel/descriptors/metric-facts.ts'
import {
  createMetrics,
  labelAllowList,
  showHiddenProblem,
} from '../../../../runtime/observe/observe.ts'

const test = suite('runtime/observe: metrics')

const facts: readonly MetricFacts[] = [
  { name: 'asked_total', type: 'counter', stability: 'STABLE', labels: ['verb'], help: 'Asked.' },
  { name: 'open', type: 'gauge', stability: 'BETA', labels: [], help: 'Open \\ now.' },
  {
    name: 'took_seconds',
    type: 'histogram',
    stability: 'ALPHA',
    labels: ['verb'],
    buckets: [0.1, 1],
    help: 'Took.',
  },
]

// H-07
test('metrics are written in the Prometheus text form, by name', () => {
  const metrics = createMetrics(facts, { release: '1.29.0' })
  metrics.counter('asked_total').add(['a"\n\\'])
  metrics.counter('asked_total').add(['a"\n\\'], 2)
  metrics.gauge('open').set([], 7)
  const took = metrics.histogram('took_seconds')
  for (const seconds of [0.1, 0.5, 3]) took.observe(['get'], seconds)
  assert.is(
    metrics.text('prometheus'),
    `# HELP asked_total [STABLE] Asked.
# TYPE asked_total counter
asked_total{verb="a\\"\\n\\\\"} 3
# HELP open [BETA] Open \\\\ now.
# TYPE open gauge
open 7
# HELP took_seconds [ALPHA] Took.
# TYPE took_seconds histogram
took_seconds_bucket{verb="get",le="0.1"} 1
took_seconds_bucket{verb="get",le="1"} 2
took_seconds_bucket{verb="get",le="+Inf"} 3
took_seconds_sum{verb="get"} 3.6
took_seconds_count{verb="get"} 3
`,
  )
})

test('OpenMetrics names counters without their ending and says where the text ends', () => {
  const metrics = createMetrics(facts, { release: '1.29.0' })
  metrics.counter('asked_total').add(['get'])
  assert.is(
    metrics.text('openmetrics'),
    '# HELP asked [STABLE] Asked.\n# TYPE asked counter\nasked_total{verb="get"} 1\n# EOF\n',
  )
})

// A9.22
test('a deprecated metric says so, is logged, and is hidden three releases later', () => {
  const old = (deprecated: string): MetricFacts[] => [{ ...facts[1]!, deprecated }]
  const reported: string[] = []
  const onDeprecated = (name: string, release: string) => void reported.push(`${name} ${release}`)
  const shown = (deprecated: string, showHiddenFor?: string): string => {
    const options = { release: '1.29.3', onDeprecated, ...(showHiddenFor && { showHiddenFor }) }
    const metrics = createMetrics(old(deprecated), options)
    metrics.gauge('open').set([], 1)
    return metrics.text('prometheus')
  }
  assert.match(shown('1.27'), '# HELP open [BETA] (Deprecated from 1.27) Open')
  assert.equal(reported, ['open 1.27'])
  assert.is(shown('1.26'), '')
  assert.equal(reported, ['open 1.27'])
  assert.match(shown('1.26', '1.28'), '(Deprecated from 1.26)')
  assert.is(shown('1.25', '1.28'), '')
})

// A9.22
test('a deprecation of a later release is none yet, one of an earlier major version is long ago', () => {
  const textAt = (release: string, deprecated: string): string => {
    const metrics = createMetrics([{ ...facts[1]!, deprecated }], { release })
    metrics.gauge('open').set([], 1)
    return metrics.text('prometheus')
  }
  assert.not.match(textAt('1.29.0', '1.30'), 'Deprecated')
  assert.match(textAt('1.30.0', '1.30'), '(Deprecated from 1.30)')
  assert.match(textAt('1.32.0', '1.30'), '(Deprecated from 1.30)')
  assert.is(textAt('1.33.0', '1.30'), '')
  assert.is(textAt('2.0.0', '1.30'), '')
  assert.not.match(textAt('1.29.0', '2.0'), 'Deprecated')
})

test('only the release before this one has hidden metrics to show', () => {
  assert.is(showHiddenProblem('', '1.29.0'), undefined)
  assert.is(showHiddenProblem('1.28', '1.29.0'), undefined)
  assert.match(showHiddenProblem('1.27', '1.29.0') ?? '', 'must be left out or 1.28')
})

// D2.51
test('a disabled metric is counted nowhere, even one that is hidden and wanted', () => {
  const table: MetricFacts[] = [
    { ...facts[0]!, deprecated: '1.26' },
    facts[1]!,
    { ...facts[1]!, name: 'disabled_metrics_total', type: 'counter' },
    { ...facts[1]!, name: 'hidden_metrics_total', type: 'counter' },
  ]
  const reported: string[] = []
  const metrics = createMetrics(table, {
    release: '1.29.0',
    showHiddenFor: '1.28',
    disabled: ['asked_total', 'open', 'nothing'],
    onDeprecated: (name) => void reported.push(name),
  })
  metrics.counter('asked_total').add(['get'])
  metrics.gauge('open').set([], 1)
  assert.equal(reported, [])
  assert.equal(
    metrics
      .text('prometheus')
      .split('\n')
      .filter((line) => !line.startsWith('#')),
    ['disabled_metrics_total 2', 'hidden_metrics_total 0', ''],
  )
})

// D2.3
test('values of labels that are not in the allow-list are one value', () => {
  const { list, problems } = labelAllowList(
    new Map([
      ['asked_total,verb', 'get, list'],
      ['took_seconds,verb', ''],
      ['other_total,verb', 'get'],
      ['asked_total,code', '200'],
    ]),
  )
  assert.equal(problems, [])
  const metrics = createMetrics(facts, { release: '1.29.0', allowed: list })
  for (const verb of ['get', 'watch', 'list', 'patch']) {
    metrics.counter('asked_total').add([verb])
    metrics.histogram('took_seconds').withLabelValues([verb])(2)
  }
  const lines = metrics.text('prometheus').split('\n')
  assert.equal(
    lines.filter((line) => line.startsWith('asked_total')),
    ['asked_total{verb="get"} 1', 'asked_total{verb="unexpected"} 2', 'asked_total{verb="list"} 1'],
  )
  assert.ok(lines.includes('took_seconds_count{verb="unexpected"} 4'))
})

// D2.3
test('a pair that names no metric and label is a problem', () => {
  const pairs = new Map([
    ['asked_total', 'get'],
    ['asked_total,verb,code', 'get'],
    [',verb', 'get'],
  ])
  const { list, problems } = labelAllowList(pairs)
  assert.is(list.size, 0)
  assert.equal(problems, [
    '"asked_total" must be the name of a metric and of a label: METRIC,LABEL',
    '"asked_total,verb,code" must be the name of a metric and of a label: METRIC,LABEL',
    '",verb" must be the name of a metric and of a label: METRIC,LABEL',
  ])
})

test('a program has the metrics that it serves, and no others', () => {
  const table: MetricFacts[] = [
    { ...facts[0]!, daemons: ['controller-manager', 'agent'] },
    facts[1]!,
  ]
  const server = createMetrics(table, { release: '1.29.0' })
  assert.throws(() => server.counter('asked_total'), /not in the table/)
  const manager = createMetrics(table, { release: '1.29.0', daemon: 'controller-manager' })
  manager.counter('asked_total').add(['get'])
  assert.match(manager.text('prometheus'), 'asked_total{verb="get"} 1\n')
  assert.throws(() => manager.gauge('open'), /not in the table/)
})

test('the number of series is bounded', () => {
  const metrics = createMetrics(facts, { release: '1.29.0' })
  const counter = metrics.counter('asked_total')
  for (let n = 0; n < 30_000; n++) counter.add([String(n)])
  assert.is(metrics.text('prometheus').split('\n').length, 20_000 + 3)
})

test('a name that is not declared is our mistake', () => {
  const metrics = createMetrics(facts, { release: '1.29.0' })
  assert.throws(() => metrics.counter('nothing'), /not in the table/)
  assert.throws(() => metrics.gauge('asked_total'), /is no gauge/)
})

test.run()
