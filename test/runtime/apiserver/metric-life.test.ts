import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { metrics } from '../../../generated/metrics.ts'
import { scheme } from '../../../generated/scheme.ts'
import { startApiServer } from '../../../runtime/apiserver/apiserver.ts'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import type { MetricFacts } from '../../../runtime/kernel/descriptors/metric-facts.ts'
import { type Log, silentLog } from '../../../runtime/observe/observe.ts'

const test = suite('runtime/apiserver: metrics that go')

const name = 'apiserver_request_total'

/** What a server of release 1.29 shows of a metric that was deprecated, and what it logs when it starts. */
async function show(deprecated: string, showHiddenFor?: string) {
  const warned: unknown[] = []
  const log: Log = { ...silentLog, warn: (event, facts) => void warned.push([event, facts]) }
  const facts = metrics.map(
    (each): MetricFacts => (each.name === name ? { ...each, deprecated } : each),
  )
  const server = await startApiServer({
    scheme: { ...scheme, metrics: facts },
    storage: { kind: 'memory' },
    clock: systemClock,
    log,
    listen: { port: 0 },
    ...(showHiddenFor && { metrics: { showHiddenFor } }),
  })
  await fetch(`${server.url}/api/v1/namespaces`)
  const text = await (await fetch(`${server.url}/metrics`)).text()
  await server.stop()
  const lines = text.split('\n').filter((line) => /^(# HELP )?apiserver_request_total/.test(line))
  return { lines, text, warned }
}

// A9.22, A3.10
test('a deprecated metric stays registered, says so, and is warned of at the start', async () => {
  const { lines, warned, text } = await show('1.27')
  assert.is(
    lines[0],
    '# HELP apiserver_request_total [STABLE] (Deprecated from 1.27) Requests answered, by what they asked for and the HTTP status code.',
  )
  assert.ok(lines.length > 1)
  assert.equal(warned, [['metric is deprecated', { name, deprecated: '1.27' }]])
  assert.match(
    text,
    'registered_metrics_total{stability_level="STABLE",deprecated_version="1.27"} 1\n',
  )
  assert.match(text, 'hidden_metrics_total 0\n')
})

// A9.22, A3.10
test('three releases later it is hidden, counted as that, and shown by the option', async () => {
  const hidden = await show('1.26')
  assert.equal([hidden.lines, hidden.warned], [[], []])
  assert.match(hidden.text, 'hidden_metrics_total 1\n')
  const shown = await show('1.26', '1.28')
  assert.match(shown.lines[0] ?? '', '(Deprecated from 1.26)')
  assert.is(shown.warned.length, 1)
})

// A9.22, A3.10
test('a release after that nothing shows it', async () => {
  assert.equal((await show('1.25', '1.28')).lines, [])
})

test.run()
