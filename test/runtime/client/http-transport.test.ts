// A server of a few lines that answers what each test needs to see: what a client makes of odd answers.
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { metrics as table } from '../../../generated/metrics.ts'
import { type Client, createClient, httpTransport } from '../../../runtime/client/client.ts'
import type { AnyKind } from '../../../runtime/kernel/descriptors/kind.ts'
import { createMetrics } from '../../../runtime/observe/observe.ts'
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

// E-20: plain-text errors; the client makes a Status of the code.
test('a plain answer becomes an error by its code', async (context) => {
  context.answer = (_, response) => response.writeHead(404).end('404 page not found\n')
  const error = await assertRejects(context.client.resource(kind).get('x'), 'NotFound')
  assert.is(error.message, '404 page not found')
  assert.is(error.code, 404)
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

test('a name that could mean a collection never leaves', async (context) => {
  const parts = context.client.resource(kind)
  for (const name of ['', '.', '..']) await assertRejects(parts.delete(name), 'BadRequest')
  await assertRejects(parts.in('').get('x'), 'BadRequest')
  await assertRejects(parts.deleteCollection({}), 'BadRequest')
  assert.is(context.seen.length, 0)
})

test('a name is escaped in the path', async (context) => {
  context.answer = (_, response) => response.end('{"metadata":{}}')
  await context.client.resource(kind).get('a/b?c')
  assert.equal(context.seen, ['GET /apis/shop.example.com/v1/namespaces/default/parts/a%2Fb%3Fc'])
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
