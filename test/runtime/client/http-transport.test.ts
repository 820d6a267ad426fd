// A server of a few lines that answers what each test needs to see: what a client makes of odd answers.
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { metrics as table } from '../../../generated/metrics.ts'
import {
  type Client,
  createClient,
  httpTransport,
  isNotServed,
} from '../../../runtime/client/client.ts'
import type { AnyKind } from '../../../runtime/kernel/descriptors/kind.ts'
import { createMetrics } from '../../../runtime/observe/observe.ts'
import { fakeClock } from '../../support/clock.ts'
import { hangSignal } from '../../support/deadline.ts'
import { assertRejects } from '../../support/rejects.ts'

const kind = {
  group: 'shop.example.com',
  version: 'v1',
  kind: 'Part',
  plural: 'parts',
  scope: 'Namespaced',
} as AnyKind

const test = suite<{ server: Server; client: Client; answer: RequestListener; seen: string[] }>(
  'runtime/client: http',
)

test.before.each(async (context) => {
  context.seen = []
  context.server = createServer((request, response) => {
    context.seen.push(`${request.method} ${request.url}`)
    context.answer(request, response)
  })
  await new Promise<void>((resolve) => context.server.listen(0, '127.0.0.1', resolve))
  const { port } = context.server.address() as AddressInfo
  context.client = createClient(httpTransport({ server: `http://127.0.0.1:${port}` }))
})

test.after.each(async ({ server, client }) => {
  await client.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

test('a Status body becomes its error', async (context) => {
  context.answer = (_, response) => {
    const details = { name: 'x', kind: 'parts' }
    const status = { kind: 'Status', reason: 'NotFound', message: 'parts "x" not found', details }
    response.writeHead(404).end(JSON.stringify({ ...status, code: 404 }))
  }
  const error = await assertRejects(context.client.resource(kind).get('x'), 'NotFound')
  assert.is(error.message, 'parts "x" not found')
  assert.is(error.details?.name, 'x')
  assert.is(await context.client.resource(kind).find('x'), undefined)
})

test('one signal ends any number of requests', async (context) => {
  const seen: Error[] = []
  const onWarning = (warning: Error) => seen.push(warning)
  process.on('warning', onWarning)
  context.answer = (_, response) => response.end('{"metadata":{"name":"x"}}')
  const { signal } = new AbortController()
  const names = Array.from({ length: 20 }, () => 'x')
  await Promise.all(names.map((name) => context.client.resource(kind).get(name, signal)))
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', onWarning)
  assert.equal(seen, [])
})

// E-20: plain-text errors; the client makes a Status of the code.
test('a plain answer becomes an error by its code', async (context) => {
  context.answer = (_, response) => response.writeHead(405).end('405 method not allowed\n')
  const error = await assertRejects(context.client.resource(kind).get('x'), 'MethodNotAllowed')
  assert.is(error.message, '405 method not allowed')
  assert.is(error.code, 405)
})

// H-12
test('requests are counted by their code and host, with those that were sent again or failed', async (context) => {
  const metrics = createMetrics(table, { release: '1.29.0', daemon: 'agent' })
  context.answer = (_, response) => {
    const [status, headers] = context.seen.length < 2 ? [503, { 'retry-after': '0' }] : [200, {}]
    response.writeHead(status, headers).end('{"metadata":{}}')
  }
  const { port } = context.server.address() as AddressInfo
  const transport = httpTransport({ server: `http://127.0.0.1:${port}` })
  const client = createClient(transport, { metrics })
  await client.resource(kind).create({ metadata: { name: 'x' } } as never)
  context.answer = (request) => request.destroy()
  await assertRejects(client.resource(kind).delete('x'), 'ServiceUnavailable')
  await client.close()
  const host = `host="127.0.0.1:${port}"`
  const lines = metrics.text('prometheus').split('\n')
  const about = (name: string) => lines.filter((line) => line.startsWith(`rest_client_${name}{`))
  assert.equal(about('requests_total'), [
    `rest_client_requests_total{code="503",method="POST",${host}} 1`,
    `rest_client_requests_total{code="200",method="POST",${host}} 1`,
    `rest_client_requests_total{code="<error>",method="DELETE",${host}} 1`,
  ])
  assert.equal(about('request_retries_total'), [
    `rest_client_request_retries_total{code="503",verb="POST",${host}} 1`,
  ])
  assert.equal(about('request_duration_seconds_count'), [
    `rest_client_request_duration_seconds_count{verb="POST",${host}} 2`,
    `rest_client_request_duration_seconds_count{verb="DELETE",${host}} 1`,
  ])
  assert.match(about('request_size_bytes_count')[0] ?? '', `verb="POST",${host}} 2`)
  assert.equal(about('response_size_bytes_sum'), [
    `rest_client_response_size_bytes_sum{verb="POST",${host}} 15`,
  ])
})

// H-12
test('the wait for the own limit is counted, and look-ups of names are, not those of addresses', async (context) => {
  const metrics = createMetrics(table, { release: '1.29.0', daemon: 'agent' })
  context.answer = (_, response) => response.end('{"metadata":{}}')
  const { port } = context.server.address() as AddressInfo
  for (const name of ['127.0.0.1', 'localhost']) {
    const transport = httpTransport({ server: `http://${name}:${port}` })
    const client = createClient(transport, { metrics })
    for (let at = 0; at < 2; at++) await client.resource(kind).get('x')
    await client.close()
  }
  const rate = { perSecond: 50, burst: 1 }
  const transport = httpTransport({ server: `http://127.0.0.1:${port}` })
  const limited = createClient(transport, { metrics, rate })
  await Promise.all(['x', 'y'].map((name) => limited.resource(kind).get(name)))
  await limited.close()
  const lines = metrics.text('prometheus').split('\n')
  const about = (name: string) => lines.filter((line) => line.startsWith(`rest_client_${name}`))
  assert.equal(about('dns_resolution_duration_seconds_count'), [
    `rest_client_dns_resolution_duration_seconds_count{host="localhost:${port}"} 1`,
  ])
  assert.equal(about('rate_limiter_duration_seconds_count'), [
    `rest_client_rate_limiter_duration_seconds_count{verb="GET",host="127.0.0.1:${port}"} 2`,
  ])
  const [, waited = '0'] = about('rate_limiter_duration_seconds_sum')[0]?.split('} ') ?? []
  assert.ok(Number(waited) > 0)
})

test('a request that is put off is sent again when the server said so', async (context) => {
  context.answer = (_, response) => {
    if (context.seen.length < 3) response.writeHead(429, { 'retry-after': '0' }).end('slowly')
    else response.end('{"metadata":{"name":"x"}}')
  }
  assert.equal(await context.client.resource(kind).get('x'), {
    kind: 'Part',
    apiVersion: 'shop.example.com/v1',
    metadata: { name: 'x' },
  })
  assert.is(context.seen.length, 3)
})

test('an overload without a word about when is an error at once', async (context) => {
  context.answer = (_, response) => response.writeHead(503).end('gone fishing')
  await assertRejects(context.client.resource(kind).get('x'), 'ServiceUnavailable')
  assert.is(context.seen.length, 1)
})

test('after an error that may have been done only a read is repeated', async (context) => {
  context.answer = (_, response) => response.writeHead(500, { 'retry-after': '0' }).end('slow')
  const parts = context.client.resource(kind)
  await assertRejects(parts.create({ metadata: { name: 'x' } } as never), 'InternalError')
  await assertRejects(parts.mergePatch('x', {} as never), 'InternalError')
  assert.is(context.seen.length, 2)
  await assertRejects(parts.get('x'), 'InternalError')
  assert.is(context.seen.length, 2 + 1 + 5)
})

test('a date in Retry-After counts, and one far away is for the caller', async (context) => {
  context.answer = (_, response) => {
    const day = context.seen.length < 2 ? new Date(0) : new Date(Date.now() + 86_400_000)
    response.writeHead(429, { 'retry-after': day.toUTCString() }).end('later')
  }
  const error = await assertRejects(context.client.resource(kind).get('x'), 'TooManyRequests')
  assert.is(context.seen.length, 2)
  assert.ok((error.details?.retryAfterSeconds ?? 0) > 80_000)
})

test('requests beyond the rate wait for their turn', async (context) => {
  context.answer = (_, response) => response.end('{"metadata":{"name":"x"}}')
  const { port } = context.server.address() as AddressInfo
  const clock = fakeClock()
  const transport = httpTransport({ server: `http://127.0.0.1:${port}` })
  const rate = { perSecond: 1, burst: 2 }
  const parts = createClient(transport, { clock, rate }).resource(kind)
  const gets = [1, 2, 3, 4].map((n) => parts.get(`x${n}`))
  await Promise.all(gets.slice(0, 2))
  assert.is(clock.waiting, 2)
  clock.advance(1000)
  await gets[2]
  assert.is(context.seen.length, 3)
  clock.advance(1000)
  await gets[3]
  await transport.close()
})

test('a kind that is not served is named, and is no missing object', async (context) => {
  const status = { kind: 'Status', status: 'Failure', reason: 'NotFound', details: {}, code: 404 }
  const message = 'the server could not find the requested resource'
  for (const body of ['404 page not found\n', JSON.stringify({ ...status, message })]) {
    context.answer = (_, response) => response.writeHead(404).end(body)
    const error = await assertRejects(context.client.resource(kind).find('x'), 'NotFound')
    assert.is(
      error.message,
      'GET /apis/shop.example.com/v1/namespaces/default/parts/x: the server does not serve parts (kind Part) of shop.example.com/v1: is the kind installed there, and of this version?',
    )
    assert.ok(isNotServed(error))
  }
})

test('a verb that is forbidden names the rule that is missing', async (context) => {
  const message =
    'parts.shop.example.com "x" is forbidden: User "ann" cannot patch resource "parts/status" in API group "shop.example.com" in the namespace "default"'
  const details = { name: 'x', group: 'shop.example.com', kind: 'parts' }
  const status = { kind: 'Status', reason: 'Forbidden', message, details, code: 403 }
  context.answer = (_, response) => response.writeHead(403).end(JSON.stringify(status))
  const parts = context.client.resource(kind)
  const patch = parts.mergePatch('x', {} as never, { subresource: 'status' })
  const error = await assertRejects(patch, 'Forbidden')
  assert.is(
    error.message,
    `${message}; missing is a role with { apiGroups: ["shop.example.com"], resources: [parts/status], verbs: [patch] }, for all of them or resourceNames: [x]`,
  )
  const quota = { ...status, message: 'parts.shop.example.com "x" is forbidden: exceeded quota' }
  context.answer = (_, response) => response.writeHead(403).end(JSON.stringify(quota))
  const refused = await assertRejects(parts.get('x'), 'Forbidden')
  assert.is(refused.message, quota.message)
})

test('a server that is not there is ServiceUnavailable, with its cause', async () => {
  const client = createClient(httpTransport({ server: 'http://127.0.0.1:1' }))
  const error = await assertRejects(client.resource(kind).get('x'), 'ServiceUnavailable')
  assert.instance(error.cause, Error)
  assert.match(error.message, /^GET \/apis\/shop.example.com\/v1\/namespaces\/default\/parts\/x: /)
})

test('a signal ends a request', async (context) => {
  const stop = new AbortController()
  context.answer = () => stop.abort()
  const error = await assertRejects(context.client.resource(kind).get('x', stop.signal), 'Timeout')
  assert.match(error.message, /aborted/)
})

test('a name that could mean a collection or a subresource never leaves', async (context) => {
  const parts = context.client.resource(kind)
  for (const name of ['', '.', '..', 'a/status', '/', 'a%2Fstatus']) {
    await assertRejects(parts.delete(name), 'BadRequest')
  }
  await assertRejects(parts.in('a/parts').get('x'), 'BadRequest')
  await assertRejects(parts.in('').get('x'), 'BadRequest')
  await assertRejects(parts.deleteCollection({}), 'BadRequest')
  assert.is(context.seen.length, 0)
})

test('a name is escaped in the path', async (context) => {
  context.answer = (_, response) => response.end('{"metadata":{}}')
  await context.client.resource(kind).get('a b?c')
  assert.equal(context.seen, ['GET /apis/shop.example.com/v1/namespaces/default/parts/a%20b%3Fc'])
})

// A4.45: pages until the token is empty.
test('a list follows its pages', async (context) => {
  context.answer = (request, response) => {
    const first = !request.url?.includes('continue=')
    const metadata = first ? { resourceVersion: '5', continue: 'more' } : { resourceVersion: '5' }
    const items = [{ metadata: { name: first ? 'a' : 'b' } }]
    response.end(JSON.stringify({ metadata, items }))
  }
  const { items, resourceVersion } = await context.client.resource(kind).listAll({ pageSize: 1 })
  assert.equal(
    items.map(({ metadata }) => metadata.name),
    ['a', 'b'],
  )
  assert.is(resourceVersion, '5')
  assert.equal(context.seen, [
    'GET /apis/shop.example.com/v1/parts?limit=1',
    'GET /apis/shop.example.com/v1/parts?limit=1&continue=more',
  ])
})

test('a watch reads events however the bytes arrive', async (context) => {
  context.answer = async (_, response) => {
    const text = ['ADDED', 'MODIFIED', 'DELETED']
      .map((type) => `${JSON.stringify({ type, object: { metadata: { name: 'ä' } } })}\n`)
      .join('')
    for (const byte of Buffer.from(text)) {
      if (!response.write(Buffer.of(byte))) await new Promise((go) => response.once('drain', go))
    }
    response.end()
  }
  const seen: string[] = []
  const signal = hangSignal()
  for await (const { type, object } of context.client.resource(kind).watch({}, signal)) {
    seen.push(`${type} ${object.metadata.name}`)
  }
  assert.equal(seen, ['ADDED ä', 'MODIFIED ä', 'DELETED ä'])
})

// V-04: an ERROR event carries a Status, and the stream ends.
test('an ERROR event is thrown', async (context) => {
  context.answer = (_, response) => {
    const object = { kind: 'Status', reason: 'Expired', code: 410, message: 'too old' }
    response.end(`${JSON.stringify({ type: 'ERROR', object })}\n`)
  }
  const watch = context.client.resource(kind).watch({}, hangSignal())
  await assertRejects(collect(watch), 'Expired')
})

test('a watch ends quietly with its signal, and leaves no request behind', async (context) => {
  const stop = new AbortController()
  const closed = new Promise<void>((resolve) => {
    context.answer = (request, response) => {
      request.on('close', resolve)
      response.write('{"type":"ADDED","object":{"metadata":{}}}\n')
    }
  })
  for await (const _ of context.client.resource(kind).watch({}, stop.signal)) stop.abort()
  await closed
})

test('a stream that breaks in the middle of an event fails', async (context) => {
  context.answer = (_, response) => {
    response.write('{"type":"ADD', () => response.destroy())
  }
  const watch = context.client.resource(kind).watch({}, hangSignal())
  await assertRejects(collect(watch), 'ServiceUnavailable')
})

test('a line without end is given up', async (context) => {
  context.answer = (_, response) => {
    const chunk = Buffer.alloc(1024 * 1024, 'x')
    const more = (): void => {
      while (!response.destroyed && response.write(chunk));
    }
    response.on('drain', more)
    more()
  }
  const watch = context.client.resource(kind).watch({}, hangSignal())
  const error = await assertRejects(collect(watch), 'InternalError')
  assert.match(error.message, /longer than/)
})

test('a key called __proto__ stays a key', async (context) => {
  context.answer = (_, response) => {
    response.end('{"metadata":{"labels":{"__proto__":"x"}},"__proto__":{"polluted":true}}')
  }
  const object = (await context.client.resource(kind).get('x')) as unknown as { polluted?: boolean }
  assert.is(object.polluted, undefined)
  assert.is(({} as { polluted?: boolean }).polluted, undefined)
})

async function collect(events: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = []
  for await (const event of events) all.push(event)
  return all
}

test.run()
