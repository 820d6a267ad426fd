// The package of OpenTelemetry is what the example asks for.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as api from '@opentelemetry/api'
import { configMaps } from 'orch/generated/apis/core/v1/config-map'
import { startControlPlane } from 'orch/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { tracedManager } from '../../../examples/guide/tracing.ts'
import { websites } from '../../../examples/operator/generated/apis/web/v1/website.ts'
import { scheme } from '../../../examples/operator/generated/scheme.ts'
import { tempDirectory } from '../../support/temp.ts'
import { keepTraces } from '../../support/traces.ts'
import { until } from '../../support/until.ts'

const test = suite('examples/guide: tracing')

test('a run says what woke it, and ends what it began', async () => {
  const spans = keepTraces()
  await using plane = await startControlPlane({ schemes: [scheme], socket: true })
  const orchconfig = join(tempDirectory(), 'orchconfig')
  writeFileSync(orchconfig, plane.orchconfig ?? '')
  const manager = await tracedManager(orchconfig, api)
  const stop = new AbortController()
  const run = manager.run(stop.signal)
  await manager.ready
  await plane.client.resource(websites).create({ metadata: { name: 'blog' }, spec: { title: 'B' } })
  await until('pages', () => plane.client.resource(configMaps).find('blog'))
  const span = await until('a span', () =>
    spans.find(({ attributes }) =>
      /^Website default\/blog added/.test(String(attributes['orch.cause'])),
    ),
  )
  assert.match(String(span.attributes['orch.cause']), / by client$/)
  stop.abort()
  await run
})

test.run()
