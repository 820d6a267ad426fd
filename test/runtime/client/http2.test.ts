// HTTP/2, against a foreign server's behaviour: a front of node:http2 before our own server.
import { once } from 'node:events'
import { createServer as createHttp } from 'node:http'
import { constants } from 'node:http2'
import { connect as connectTcp, createServer as createTcp, type Socket } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { configMaps } from '../../../generated/apis/core/v1/config-map.ts'
import { scheme } from '../../../generated/scheme.ts'
import { type RunningApiServer, startApiServer } from '../../../runtime/apiserver/apiserver.ts'
import {
  type Client,
  type ConnectionConfig,
  type Credentials,
  createClient,
  httpTransport,
} from '../../../runtime/client/client.ts'
import { createInformer } from '../../../runtime/informer/informer.ts'
import { type Clock, systemClock } from '../../../runtime/kernel/async/clock.ts'
import { silentLog } from '../../../runtime/observe/observe.ts'
import { fakeClock } from '../../support/clock.ts'
import { type Http2Front, startHttp2Front } from '../../support/http2-front.ts'
import { assertRejects } from '../../support/rejects.ts'
import { until } from '../../support/until.ts'

interface Bench {
  server: RunningApiServer
  front: Http2Front
  ends: (() => unknown)[]
}

const test = suite<Bench>('runtime/client: HTTP/2')

const mostStreams = 6

test.before.each(async (context) => {
  context.ends = []
  context.server = await startApiServer({
    ...{
      scheme,
      storage: { kind: 'memory' },
      listen: { host: '127.0.0.1', port: 0 },
      clock: systemClock,
      log: silentLog,
    },
  })
  context.front = await startHttp2Front(context.server.url)
})

test.after.each(async ({ server, front, ends }) => {
  for (const end of ends.reverse()) await end()
  await front.stop()
  await server.stop()
})

function clientOf(
  { front, ends }: Bench,
  config: Partial<ConnectionConfig> = {},
  clock: Clock = systemClock,
): Client {
  const transport = httpTransport({ server: front.url, ca: front.ca, ...config }, clock)
  const client = createClient(transport, { retries: 1, clock })
  ends.push(() => client.close())
  return client
}

test('the headers of an answer are those of the server, and texts', async (bench) => {
  const { front, ends } = bench
  const transport = httpTransport({ server: front.url, ca: front.ca }, systemClock)
  ends.push(() => transport.close())
  const { signal } = new AbortController()
  const answer = await transport.send({ method: 'GET', path: '/version', headers: {}, signal })
  for await (const _ of answer.body) {
  }
  assert.is(answer.status, 200)
  const odd = Object.entries(answer.headers).filter(
    ([name, value]) => name.startsWith(':') || typeof value === 'number',
  )
  assert.equal(odd, [])
})

/** Begins a watch of every config map; its events are collected. */
function watchAll({ ends }: Bench, client: Client) {
  const stop = new AbortController()
  const names: string[] = []
  const maps = client.resource(configMaps)
  const watch = async (): Promise<void> => {
    for await (const { type, object } of maps.watch({}, stop.signal)) {
      if (type === 'ADDED') names.push(object.metadata.name)
    }
  }
  let hasEnded = false
  const ended = watch()
    .catch(() => {})
    .finally(() => {
      hasEnded = true
    })
  ends.push(() => stop.abort())
  return { names, ended, hasEnded: () => hasEnded, stop: () => stop.abort() }
}

const draft = (name: string) => ({ metadata: { name } })
const of = (seen: readonly string[], words: string) => seen.filter((one) => one.includes(words))

test('requests and watches of a client share one connection', async (context) => {
  const client = clientOf(context)
  const maps = client.resource(configMaps)
  const watches = [1, 2, 3].map(() => watchAll(context, client))
  await Promise.all(Array.from({ length: 40 }, (_, at) => maps.create(draft(`m${at}`))))
  assert.is((await maps.listAll()).items.length, 40)
  await maps.apply({ ...draft('m1'), data: { a: 'ü'.repeat(100_000) } } as never)
  assert.is((await maps.get('m1')).data?.a?.length, 100_000)
  await maps.delete('m2')
  for (const { names } of watches) await until('it happens', () => names.length === 40)
  assert.is(context.front.sockets.length, 1)
  assert.ok(context.front.seen.every((one) => one.startsWith('2.0 ')))
})

test('a list that is longer than every window comes whole', async (context) => {
  const client = clientOf(context)
  const maps = client.resource(configMaps)
  const data = { a: 'x'.repeat(900_000) }
  for (let at = 0; at < 20; at++) await maps.create({ ...draft(`m${at}`), data })
  const { items } = await maps.listAll()
  assert.is(
    items.reduce((sum, { data }) => sum + (data?.a?.length ?? 0), 0),
    20 * 900_000,
  )
})

test('where a connection takes no more requests at once, a further one is opened', async (context) => {
  await context.front.stop()
  context.front = await startHttp2Front(context.server.url, mostStreams)
  const client = clientOf(context)
  const watches = Array.from({ length: 2 * mostStreams }, () => watchAll(context, client))
  await until('it happens', () => of(context.front.seen, 'watch').length === watches.length)
  await client.resource(configMaps).create(draft('late'))
  for (const { names } of watches) await until('it happens', () => names.includes('late'))
  assert.is(context.front.sockets.length, 3)
})

test('a watch goes on while the server sends its client away, and requests take a new connection', async (context) => {
  const client = clientOf(context)
  const maps = client.resource(configMaps)
  const { names } = watchAll(context, client)
  await maps.create(draft('before'))
  await until('it happens', () => names.includes('before'))
  context.front.sessions[0]?.close()
  await until('it happens', async () => {
    await maps.listAll()
    return context.front.sockets.length === 2
  })
  await maps.create(draft('after'))
  await until('it happens', () => names.includes('after'))
  assert.is(of(context.front.seen, 'watch').length, 1)
})

test('what a server that sends its client away has not looked at is sent again, writes too', async (context) => {
  const maps = clientOf(context).resource(configMaps)
  await maps.listAll()
  context.front.answer(({ request }) => {
    context.front.answer(({ pass }) => pass())
    const { session, id = 0 } = request.stream
    session?.goaway(constants.NGHTTP2_NO_ERROR, id - 2)
  })
  assert.is((await maps.create(draft('once'))).metadata.name, 'once')
  assert.is(of(context.front.seen, 'POST').length, 2)
  assert.is((await maps.listAll()).items.length, 1)
})

test('a request that is refused before it is looked at is sent again, for some time', async (context) => {
  const maps = clientOf(context).resource(configMaps)
  let refusals = 2
  context.front.answer(({ request, pass }) => {
    if (refusals-- > 0) request.stream.close(constants.NGHTTP2_REFUSED_STREAM)
    else pass()
  })
  await maps.create(draft('third'))
  assert.is(of(context.front.seen, 'POST').length, 3)
  refusals = 1000
  const error = await assertRejects(maps.create(draft('never')), 'ServiceUnavailable')
  assert.match(error.message, 'the server refused the request before it looked at it')
  assert.is(of(context.front.seen, 'POST').length, 3 + 5)
})

for (const [what, code] of [
  ['reset', constants.NGHTTP2_INTERNAL_ERROR],
  ['cancelled', constants.NGHTTP2_CANCEL],
] as const) {
  test(`a write that is ${what} may have been done: it is not sent again, a read is`, async (context) => {
    const maps = clientOf(context).resource(configMaps)
    let resets = 1
    context.front.answer(({ request, pass }) => {
      if (resets-- > 0) request.stream.close(code)
      else pass()
    })
    const error = await assertRejects(maps.create(draft('x')), 'ServiceUnavailable')
    assert.match(error.message, 'closed the connection before it answered: the request may have')
    assert.is(context.front.seen.length, 1)
    resets = 1
    assert.is((await maps.listAll()).items.length, 0)
    assert.is(context.front.seen.length, 3)
  })
}

test('an answer that breaks off is an error, however it does', async (context) => {
  const maps = clientOf(context).resource(configMaps)
  for (const code of [0, constants.NGHTTP2_CANCEL, constants.NGHTTP2_INTERNAL_ERROR]) {
    context.front.answer(({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write('{"kind":"ConfigMapList","items":[')
      setImmediate(() => response.stream.close(code))
    })
    await assertRejects(maps.listAll(), 'ServiceUnavailable')
  }
})

test('a connection that dies takes its watch with it, and the informer misses nothing', async (context) => {
  const client = clientOf(context)
  const maps = client.resource(configMaps)
  const informer = createInformer(maps, { random: () => 0 })
  const stop = new AbortController()
  const running = informer.run(stop.signal)
  await informer.synced
  for (let at = 0; at < 5; at++) {
    context.front.sessions.at(-1)?.destroy()
    await until(
      'it happens',
      async () => (await maps.create(draft(`m${at}`)).catch(() => undefined)) !== undefined,
    )
  }
  await until('it happens', () => informer.cache.list().length === 5)
  stop.abort()
  await running
})

test('a request that is aborted resets its stream, and its connection goes on', async (context) => {
  const client = clientOf(context)
  const maps = client.resource(configMaps)
  const watch = watchAll(context, client)
  await maps.create(draft('seen'))
  await until('it happens', () => watch.names.includes('seen'))
  watch.stop()
  await watch.ended
  await until('it happens', () => context.front.resets.length === 1)
  const stop = new AbortController()
  context.front.answer(() => stop.abort())
  await assertRejects(maps.listAll({}, stop.signal), 'Timeout')
  await until('it happens', () => context.front.resets.length === 2)
  assert.equal([...new Set(context.front.resets)], [constants.NGHTTP2_CANCEL])
  context.front.answer(({ pass }) => pass())
  await maps.listAll()
  assert.is(context.front.sockets.length, 1)
})

test('a connection on which nothing comes any more is found out and left', async (context) => {
  const clock = fakeClock()
  const wire = await startFreezer(context)
  const client = clientOf(context, { server: `https://127.0.0.1:${wire.port}` }, clock)
  const maps = client.resource(configMaps)
  const watch = watchAll(context, client)
  await maps.create(draft('seen'))
  await until('it happens', () => watch.names.includes('seen'))
  await clock.advance(29_000)
  wire.freeze()
  await clock.advance(29_000)
  const waiting = assertRejects(maps.listAll(), 'ServiceUnavailable')
  await until('it happens', async () => {
    await clock.advance(15_000)
    return watch.hasEnded()
  })
  assert.match((await waiting).message, 'cannot be reached (ETIMEDOUT)')
  wire.thaw()
  assert.is((await maps.listAll()).items.length, 1)
})

test('a silent server that answers the question is there', async (context) => {
  const clock = fakeClock()
  const client = clientOf(context, {}, clock)
  const watch = watchAll(context, client)
  await client.resource(configMaps).create(draft('seen'))
  await until('it happens', () => watch.names.includes('seen'))
  const others = clientOf(context).resource(configMaps)
  let asked = 0
  context.front.sessions[0]?.on('ping', () => asked++)
  for (const wanted of [1, 2, 3]) {
    await until('it is asked', async () => {
      await clock.advance(14_000)
      await others.listAll()
      return asked >= wanted
    })
    await client.resource(configMaps).listAll()
  }
  await client.resource(configMaps).create(draft('later'))
  await until('it happens', () => watch.names.includes('later'))
  assert.is(context.front.sockets.length, 2)
})

test('a server that speaks HTTP/1.1 is asked over the connection on which it said so', async (context) => {
  context.front.offer(['http/1.1'])
  const maps = clientOf(context).resource(configMaps)
  for (let at = 0; at < 3; at++) await maps.create(draft(`m${at}`))
  assert.is(context.front.sockets.length, 1)
  assert.ok(context.front.seen.every((one) => one.startsWith('1.1 ')))
})

test('a server that speaks HTTP/1.1 from now on is followed', async (context) => {
  const maps = clientOf(context).resource(configMaps)
  await maps.create(draft('a'))
  context.front.offer(['http/1.1'])
  context.front.sessions[0]?.close()
  await until('it happens', async () => {
    await maps.listAll()
    return context.front.seen.at(-1)?.startsWith('1.1 ') === true
  })
  await maps.create(draft('b'))
  assert.is(context.front.sockets.length, 2)
})

test('HTTP/2 can be turned off', async (context) => {
  const maps = clientOf(context, { http2: false }).resource(configMaps)
  await maps.create(draft('a'))
  assert.equal(
    context.front.seen.map((one) => one.slice(0, 8)),
    ['1.1 POST'],
  )
})

test('HTTP/2 leads through a tunnel', async (context) => {
  const tunnelled: string[] = []
  const proxy = createHttp().on('connect', ({ url = '' }, socket: Socket) => {
    tunnelled.push(url)
    const onward = connectTcp(context.front.port, '127.0.0.1')
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    socket.pipe(onward).pipe(socket)
    context.ends.push(() => socket.destroy())
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  context.ends.push(() => proxy.close())
  const { port } = proxy.address() as { port: number }
  const maps = clientOf(context, { proxy: `http://127.0.0.1:${port}` }).resource(configMaps)
  await maps.create(draft('a'))
  await maps.listAll()
  assert.equal(tunnelled, [`127.0.0.1:${context.front.port}`])
  assert.ok(context.front.seen.every((one) => one.startsWith('2.0 ')))
})

test('credentials that change end no watch, and are shown over a new connection', async (context) => {
  let credentials: Credentials = { ca: context.front.ca }
  const source = { current: () => credentials, refused: () => false }
  const client = clientOf(context, { credentials: source })
  const watch = watchAll(context, client)
  const maps = client.resource(configMaps)
  await maps.create(draft('a'))
  await until('it happens', () => watch.names.includes('a'))
  credentials = { ca: `${context.front.ca}\n` }
  await maps.create(draft('b'))
  await until('it happens', () => watch.names.includes('b'))
  assert.is(context.front.sockets.length, 2)
  watch.stop()
  await until('it happens', () => context.front.sessions.length === 1)
})

test('whom to act as is said in letters of any language', async (context) => {
  const heard: unknown[] = []
  context.front.answer(({ request, pass }) => {
    const { 'impersonate-user': user, 'impersonate-group': groups } = request.headers
    heard.push(Buffer.from(String(user), 'latin1').toString(), groups)
    pass()
  })
  const impersonate = { user: 'jörg', groups: ['a', 'b'] }
  const maps = clientOf(context, { impersonate }).resource(configMaps)
  await maps.listAll().catch(() => {})
  assert.equal(heard, ['jörg', 'a, b'])
})

test('a write that may no longer go out once there is a connection does not', async (context) => {
  const client = clientOf(context).scoped({
    beforeWrite() {
      if (context.front.sessions.length > 0) throw new Error('no longer the leader')
    },
  })
  await client
    .resource(configMaps)
    .create(draft('a'))
    .then(
      () => assert.unreachable(),
      (error: Error) => assert.match(error.message, 'no longer the leader'),
    )
  assert.equal(context.front.seen, [])
})

test('requests that wait for a connection end with it, with their signal and with the client', async (context) => {
  const silent = createTcp(() => {})
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  context.ends.push(() => silent.close())
  const { port } = silent.address() as { port: number }
  const client = clientOf(context, { server: `https://127.0.0.1:${port}` })
  const maps = client.resource(configMaps)
  const stop = new AbortController()
  const aborted = assertRejects(maps.listAll({}, stop.signal), 'Timeout')
  const left = assertRejects(maps.listAll(), 'ServiceUnavailable')
  await once(silent, 'connection')
  stop.abort()
  await aborted
  await client.close()
  assert.match((await left).message, 'the client was closed')
})

/** A wire to the front that can stop to carry bytes, and stay open. */
async function startFreezer({ front, ends }: Bench) {
  let frozen = false
  const wire = createTcp((near) => {
    const far = connectTcp(front.port, '127.0.0.1')
    const own = frozen
    const carry = (from: Socket, to: Socket): unknown =>
      from
        .on('data', (bytes) => (frozen && !own ? undefined : to.write(bytes)))
        .on('error', () => {})
    carry(near, far)
    carry(far, near)
    near.on('close', () => far.destroy())
    ends.push(() => near.destroy())
  })
  await new Promise<void>((resolve) => wire.listen(0, '127.0.0.1', resolve))
  ends.push(() => wire.close())
  return {
    port: (wire.address() as { port: number }).port,
    freeze() {
      frozen = true
    },
    thaw() {
      frozen = false
    },
  }
}

test.run()
