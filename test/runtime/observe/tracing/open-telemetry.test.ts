// `@opentelemetry/api` as users pass it: its tracer, its context and its propagation.

import { once } from 'node:events'
import { request } from 'node:https'
import * as api from '@opentelemetry/api'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../../examples/caches/generated/scheme.ts'
import { configMaps } from '../../../../generated/apis/core/v1/config-map.ts'
import { secrets } from '../../../../generated/apis/core/v1/secret.ts'
import {
  createClient,
  createManager,
  defineController,
  defineWebhook,
  done,
  type Span,
  serveWebhooks,
  type TracePropagation,
  type Tracer,
} from '../../../../runtime/runtime.ts'
import { startControlPlane } from '../../../../runtime/testing/control-plane.ts'
import { hangSignal } from '../../../support/deadline.ts'
import { type KeptSpan, keepTraces } from '../../../support/traces.ts'
import { until } from '../../../support/until.ts'

const test = suite('runtime/observe: OpenTelemetry')

// Only has to compile: what the package exports is what is asked for.
const tracer: Tracer = api.trace.getTracer('test')
const carried: TracePropagation = api
const span: Span = api.trace.wrapSpanContext(api.INVALID_SPAN_CONTEXT)
assert.ok(tracer && carried && span)

const controller = defineController({
  name: 'copies',
  for: configMaps,
  writes: [secrets],
  async reconcile({ metadata: { name }, data = {} }, { client }) {
    await client.resource(secrets).apply({ metadata: { name }, stringData: data })
    return done
  },
})

const webhook = defineWebhook({ name: 'secrets.shop.example.com', for: secrets, validate() {} })

/** The API takes one SDK in a process. */
let spans: readonly KeptSpan[] | undefined

test('without an SDK nothing is traced and nothing is sent', async () => {
  await using plane = await startControlPlane()
  const sent: unknown[] = []
  const transport = {
    ...plane.transport,
    send(request: Parameters<typeof plane.transport.send>[0]) {
      sent.push(request.headers.traceparent)
      return plane.transport.send(request)
    },
  }
  const client = createClient(transport, { propagation: api })
  const manager = createManager({ client, tracer, controllers: [controller] })
  const stop = new AbortController()
  const run = manager.run(stop.signal)
  await manager.ready
  await client.resource(configMaps).create({ metadata: { name: 'x' }, data: { a: 'b' } })
  await until('a copy', () => client.resource(secrets).find('x'))
  stop.abort()
  await run
  assert.equal([...new Set(sent)], [undefined])
})

test('a run is a span with its cause, and what its writes are asked about is within it', async () => {
  spans ??= keepTraces()
  const kept = spans
  await using plane = await startControlPlane()
  const client = createClient(plane.transport, { manager: 'kitchen', propagation: api })
  const server = await serveWebhooks({
    ...{ client, name: 'copies', namespace: 'default', webhooks: [webhook] },
    ...{ url: 'https://localhost', listen: { host: 'localhost', port: 0 } },
    ...{ tracer: api.trace.getTracer('test'), propagation: api },
  })
  const manager = createManager({
    ...{ client, controllers: [controller] },
    tracer: api.trace.getTracer('test'),
  })
  const stop = new AbortController()
  const run = manager.run(stop.signal)
  await manager.ready
  await client.resource(configMaps).create({ metadata: { name: 'x' }, data: { a: 'b' } })
  await until('a copy', () => client.resource(secrets).find('x'))
  await client.resource(configMaps).mergePatch('x', { data: { a: 'c' } })
  const updated = await until('a run for the update', () =>
    kept.find(({ attributes }) => /updated/.test(String(attributes['orch.cause']))),
  )
  assert.is(updated.name, 'reconcile copies')
  assert.match(
    String(updated.attributes['orch.cause']),
    /^ConfigMap default\/x updated at \d+: data.a by kitchen$/,
  )
  const reviews = kept.filter(({ parent }) => parent === updated.id)
  assert.equal(
    reviews.map(({ name, trace, attributes }) => [name, trace, attributes['orch.object']]),
    [['webhook /validate/secrets.shop.example.com', updated.trace, 'default/x']],
  )
  const [first] = kept.filter(({ attributes }) => /added/.test(String(attributes['orch.cause'])))
  assert.match(String(first?.attributes['orch.cause']), /added at \d+ by kitchen$/)
  stop.abort()
  await run
  await server.close()
})

test('a review of a conversion goes on in the trace that its server names', async () => {
  spans ??= keepTraces()
  const kept = spans
  await using plane = await startControlPlane()
  const server = await serveWebhooks({
    ...{ client: plane.client, scheme, name: 'caches', namespace: 'default' },
    ...{ url: 'https://localhost', listen: { host: 'localhost', port: 0 } },
    ...{ tracer: api.trace.getTracer('test'), propagation: api },
  })
  const [trace, parent] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']
  const options = {
    ...{ host: 'localhost', port: server.port, path: '/convert', method: 'POST' },
    ...{ rejectUnauthorized: false, headers: { traceparent: `00-${trace}-${parent}-01` } },
  }
  const review = {
    ...{ kind: 'ConversionReview', apiVersion: 'apiextensions.k8s.io/v1' },
    request: { uid: 'u', desiredAPIVersion: 'caches.example.com/v1', objects: [] },
  }
  const sent = request(options).end(JSON.stringify(review))
  const [response] = await once(sent, 'response', { signal: hangSignal() })
  assert.is(response.resume().statusCode, 200)
  const span = kept.find(({ name }) => name === 'webhook /convert')
  assert.equal([span?.trace, span?.parent], [trace, parent])
  await server.close()
})

test.run()
