/** The server as an application of Koa: middleware of users, and the application inside another one. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { gunzipSync } from 'node:zlib'
import Koa from 'koa'
import compose from 'koa-compose'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Middleware } from '../../../../runtime/server/server.ts'
import { ask, fits, startTestServer } from '../harness.ts'

const test = suite('runtime/server: middleware')

const pods = '/api/v1/namespaces/default/pods'

const text: Middleware = async (ctx, next) => {
  if (ctx.path !== '/teapot') return next()
  ctx.status = 418
  ctx.set('X-Pot', ['black', 'white'])
  ctx.body = 'short and stout'
}
const value: Middleware = (ctx, next) => {
  if (ctx.path !== '/value') return next()
  ctx.body = { user: ctx.state.user.username, audit: ctx.state.auditId }
}
const stream: Middleware = (ctx, next) => {
  if (ctx.path !== '/stream') return next()
  ctx.body = Readable.from([Buffer.from('one '), Buffer.from('two')])
}
const long: Middleware = (ctx, next) => {
  if (ctx.path !== '/long') return next()
  ctx.body = 'a line\n'.repeat(40_000)
}
const web: Middleware = (ctx, next) => {
  if (ctx.path !== '/web') return next()
  ctx.body = new Blob(['from the web']).stream()
}
const failing: Middleware = (ctx, next) => {
  if (ctx.path === '/bug') throw new Error('a secret of the house')
  if (ctx.path === '/refused') (ctx as unknown as Koa.Context).throw(409, 'not now')
  if (ctx.path === '/hidden') (ctx as unknown as Koa.Context).throw(500, 'a secret')
  return next()
}
/** A middleware that knows Koa's types only. */
const foreign: Koa.Middleware = async (ctx, next) => {
  await next()
  ctx.set('X-Verb', String(ctx.state.info.verb))
}
const use = [foreign, text, value, stream, long, web, failing]

const wire = await startTestServer({ use })
test.after(() => wire.stop())

test('a middleware answers with text, and its headers arrive', async () => {
  const reply = await wire.request({ path: '/teapot' })
  fits(reply, { status: 418, body: 'short and stout' })
  assert.is(reply.headers['x-pot'], 'black, white')
  assert.is(reply.headers['content-type'], 'text/plain; charset=utf-8')
  assert.is(reply.headers['content-length'], '15')
  assert.ok(reply.headers['audit-id'])
})

test('a long answer of a middleware is compressed, and ends', async () => {
  const reply = await wire.request({ path: '/long', headers: { 'accept-encoding': 'gzip' } })
  assert.is(reply.headers['content-encoding'], 'gzip')
  assert.is(reply.headers['content-length'], undefined)
  assert.is(gunzipSync(reply.bytes).length, 280_000)
})

test('a middleware knows the user and the audit id of its request', async () => {
  const reply = await wire.request({ path: '/value', headers: { 'audit-id': 'mine' } })
  fits(reply, { status: 200, body: { user: 'system:anonymous', audit: 'mine' } })
})

for (const [path, body] of [
  ['/stream', 'one two'],
  ['/web', 'from the web'],
] as const) {
  test(`${path}: a middleware answers with a stream`, async () => {
    fits(await wire.request({ path }), { status: 200, body })
  })
}

test('a middleware adds headers to what the server answers', async () => {
  const reply = await wire.request({ path: pods })
  fits(reply, { status: 200, headers: { 'x-verb': 'list' }, body: { kind: 'PodList' } })
  assert.is(reply.headers['content-type'], 'application/json')
})

test('an error of Koa is answered with its status and text', async () => {
  fits(await wire.request({ path: '/refused' }), { status: 409, body: 'not now\n' })
})

for (const path of ['/bug', '/hidden']) {
  test(`${path}: what else a middleware throws is a bug, and tells nothing`, async () => {
    const reply = await wire.request({ path })
    fits(reply, { status: 500, body: { kind: 'Status', reason: 'InternalError' } })
    assert.not.match(reply.text, 'secret')
  })
}

test('requests of the same process pass the same middleware', async () => {
  const get = async (path: string) => {
    const { status, headers, body } = await wire.server.dispatch({
      method: 'GET',
      path,
      headers: {},
    })
    const chunks: Uint8Array[] = []
    for await (const chunk of body) chunks.push(chunk)
    return { status, headers, text: Buffer.concat(chunks).toString() }
  }
  const pot = await get('/teapot')
  assert.is(pot.status, 418)
  assert.equal(pot.headers['x-pot'], ['black', 'white'])
  assert.match((await get('/value')).text, '"user":"system:apiserver"')
  assert.is((await get('/stream')).text, 'one two')
  assert.is((await get(pods)).headers['x-verb'], 'list')
})

test('the server is mounted in another application', async () => {
  const koa = new Koa()
  koa.use((ctx, next) => {
    ctx.set('X-Outer', 'yes')
    if (ctx.path === '/outside') ctx.body = 'outside'
    else return next()
  })
  koa.use(compose(wire.server.koa.middleware))
  await served(createServer(koa.callback()), async (url) => {
    const headers = { 'x-outer': 'yes' }
    fits(await ask(url, { path: '/outside' }), { status: 200, headers, body: 'outside' })
    fits(await ask(url, { path: pods }), { status: 200, headers, body: { kind: 'PodList' } })
    fits(await ask(url, { path: '/teapot' }), { status: 418, headers, body: 'short and stout' })
    fits(await ask(url, { path: '/refused' }), { status: 409, headers })
  })
})

for (const [what, listener] of [
  ["Koa's own listener", () => wire.server.koa.callback()],
  ['the listener for node:http', () => wire.server.handle],
] as const) {
  test(`${what} answers`, async () => {
    await served(createServer(listener()), async (url) => {
      fits(await ask(url, { path: pods }), { status: 200, body: { kind: 'PodList' } })
      fits(await ask(url, { path: '/nowhere' }), { status: 404, body: '404 page not found\n' })
    })
  })
}

async function served(server: Server, work: (url: string) => Promise<void>): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

test.run()
