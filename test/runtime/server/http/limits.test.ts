import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { silentLog } from '../../../../runtime/observe/observe.ts'
import { fakeClock } from '../../../support/clock.ts'
import { until } from '../../../support/until.ts'
import { fits, startTestServer, type TestServer } from '../harness.ts'

const test = suite('runtime/server: limits, and what is counted')

const maps = '/api/v1/namespaces/default/configmaps'

/** Opens a connection, sends a text and gives all that comes back until the other side closes. */
async function talk(
  wire: TestServer,
  text: string,
  more?: (socket: Socket) => void,
): Promise<string> {
  const socket = open(wire)
  let heard = ''
  socket.setEncoding('latin1').on('data', (part) => {
    heard += part
  })
  socket.on('error', () => {})
  socket.write(text)
  more?.(socket)
  await new Promise((resolve) => socket.once('close', resolve))
  return heard
}

function open(wire: TestServer): Socket {
  const { hostname, port } = new URL(wire.url)
  return connect(Number(port), hostname)
}

// R-10, K-11
test('a body beyond the limit is refused, by its length before a byte is read', async () => {
  const wire = await startTestServer({ limits: { bodyBytes: 1000 } })
  const long = { metadata: { name: 'x' }, data: { a: 'x'.repeat(1000) } }
  fits(await wire.request({ method: 'POST', path: maps, body: long }), {
    status: 413,
    body: { reason: 'RequestEntityTooLarge', message: 'Request entity too large: limit is 1000' },
  })
  const chunked = `POST ${maps} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`
  const chunk = `200\r\n${'x'.repeat(512)}\r\n`
  assert.match(await talk(wire, chunked + chunk.repeat(4)), 'limit is 1000')
  await wire.stop()
})

// R-10, K-11
const endless: readonly (readonly [string, string, string, RegExp])[] = [
  ['of a declared length', 'POST', 'Content-Length: 99999999999', /^HTTP\/1\.1 413 /],
  ['of no known length', 'POST', 'Transfer-Encoding: chunked', /^HTTP\/1\.1 413 /],
  ['that nobody asked for', 'GET', 'Transfer-Encoding: chunked', /^HTTP\/1\.1 200 /],
]
for (const [what, method, header, answer] of endless) {
  test(`who goes on sending a body ${what} after the answer is cut off`, async () => {
    const wire = await startTestServer()
    const block = `100000\r\n${' '.repeat(0x100000)}\r\n`
    const head = `${method} ${maps} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`
    let sent = 0
    const heard = await talk(wire, `${head}${header}\r\n\r\n`, (socket) => {
      const pump = (error?: Error | null): void => {
        if (error) return
        sent += block.length
        socket.write(block, pump)
      }
      pump()
    })
    assert.match(heard, answer)
    assert.ok(sent < 64 * 1024 * 1024, `${sent} bytes`)
    await wire.stop()
  })
}

test('a request whose answer cannot be made is left at once, not in a while', async () => {
  const wire = await startTestServer({
    onRequestCompleted({ status }) {
      throw new Error(`nobody hears of ${status}`)
    },
  })
  for (const path of ['/api/v1/namespaces/default', maps]) {
    const heard = await talk(wire, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
    assert.is(heard, '')
  }
  await wire.stop()
})

test('what a body holds is limited too', async () => {
  const wire = await startTestServer({
    limits: { decode: { depth: 5, values: 20_000, keys: 1000, items: 9000 } },
  })
  const ask = (body: string) => wire.request({ method: 'POST', path: maps, body })
  const many = Array.from({ length: 2000 }, (_, n) => `"key${n}":"v"`).join()
  fits(await ask(`{"data":{${many}}}`), { status: 413, body: /more than 1000 different/ })
  fits(await ask('{"a":[[[[[]]]]]}'), { status: 400, body: /nested more than 5 levels deep/ })
  await wire.stop()
})

test('answers come in the order of their requests, those at once behind those to wait for', async () => {
  const wire = await startTestServer()
  const body = '{"metadata":{"name":"first"}}'
  const head = 'HTTP/1.1\r\nHost: x\r\n'
  const post = `POST ${maps} ${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
  const get = (path: string) => `GET ${path} ${head}`
  const heard = await talk(
    wire,
    `${post}${body}${get('/api/v1/namespaces/default')}\r\n${get(`${maps}/none`)}\r\n` +
      `${get('/api/v1/namespaces/orch-public')}Connection: close\r\n\r\n`,
  )
  assert.equal(heard.match(/HTTP\/1\.1 \d+/g), [
    'HTTP/1.1 201',
    'HTTP/1.1 200',
    'HTTP/1.1 404',
    'HTTP/1.1 200',
  ])
  assert.ok(heard.lastIndexOf('"orch-public"') > heard.indexOf('"default"'))
  await wire.stop()
})

test('headers beyond the limit are 431', async () => {
  const wire = await startTestServer({ limits: { headerBytes: 4096 } })
  assert.is(
    (await wire.request({ path: '/version', headers: { x: 'x'.repeat(3000) } })).status,
    200,
  )
  assert.is(
    (await wire.request({ path: '/version', headers: { x: 'x'.repeat(5000) } })).status,
    431,
  )
  await wire.stop()
})

test('who sends headers slowly is cut off', async () => {
  const wire = await startTestServer({ limits: { headersMs: 200 } })
  const heard = await talk(wire, 'GET /version HTTP/1.1\r\nHost: x\r\n', (socket) => {
    const timer = setInterval(() => socket.write('X-Slow: 1\r\n'), 50)
    socket.once('close', () => clearInterval(timer))
  })
  assert.match(heard, 'HTTP/1.1 408')
  await wire.stop()
})

test('who sends a body slowly is cut off', async () => {
  const wire = await startTestServer({ limits: { headersMs: 200, receiveMs: 300 } })
  const head = `POST ${maps} HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n`
  const heard = await talk(wire, head, (socket) => {
    const timer = setInterval(() => socket.write(' '), 50)
    socket.once('close', () => clearInterval(timer))
  })
  assert.match(heard, /HTTP\/1.1 4\d\d/)
  await wire.stop()
})

test('an idle connection is closed', async () => {
  const wire = await startTestServer({ limits: { idleMs: 100 } })
  assert.match(await talk(wire, 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n'), 'HTTP/1.1 200')
  await wire.stop()
})

test('who takes nothing of a large answer is cut off', async () => {
  const clock = fakeClock(Date.parse('2030-01-01T00:00:00Z'))
  const wire = await startTestServer({ clock, limits: { stalledMs: 200 } })
  const data = { a: 'x'.repeat(900_000) }
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']) {
    await wire.request({ method: 'POST', path: maps, body: { metadata: { name }, data } })
  }
  for (const path of [maps, `${maps}?pretty=true`]) {
    const socket = open(wire)
    socket.on('error', () => {})
    const idle = clock.waiting
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
    await once(socket, 'readable')
    await until('the server waits for the reader', () => clock.waiting > idle)
    clock.advance(200)
  }
  let stopped = false
  wire.stop().then(() => {
    stopped = true
  })
  await until('the server has stopped without waiting for anyone', () => stopped)
})

test('connections beyond the limit are closed as they come', async () => {
  const told: unknown[] = []
  const log = { ...silentLog, warn: (...line: unknown[]) => void told.push(line) }
  const wire = await startTestServer({ limits: { connections: 2 }, log })
  const held = [open(wire), open(wire)]
  await Promise.all(held.map((socket) => once(socket, 'connect')))
  held[0]?.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(held[0] as Socket, 'data')
  const third = open(wire)
  third.on('error', () => {})
  await once(third, 'close')
  const line = 'too many connections: new ones are closed'
  assert.equal(told, [[line, { open: 2, dropped: 1 }]])
  for (const socket of held) socket.destroy()
  await wire.stop()
})

// K-01
test('answers name what the request was classified by', async () => {
  const wire = await startTestServer()
  const { headers } = await wire.request({ path: maps })
  const uid = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
  assert.match(String(headers['x-orch-pf-flowschema-uid']), uid)
  assert.match(String(headers['x-orch-pf-prioritylevel-uid']), uid)
  await wire.stop()
})

// K-02, E-19, E-20
test('requests beyond the seats are 429 with the time to come back', async () => {
  let leave = (): void => {}
  const left = new Promise<void>((resolve) => {
    leave = resolve
  })
  let came = (): void => {}
  const working = new Promise<void>((resolve) => {
    came = resolve
  })
  const wire = await startTestServer({
    fairness: false,
    inFlight: { reading: 1, changing: 1 },
    use: [
      async (ctx, next) => {
        came()
        if (ctx.method === 'POST') await left
        await next()
      },
    ],
  })
  const slow = wire.request({ method: 'POST', path: maps, body: {} })
  await working
  const reply = await wire.request({ method: 'POST', path: maps, body: {} })
  fits(reply, {
    status: 429,
    body: 'Too many requests, please try again later.\n',
    headers: { 'retry-after': '1', 'content-type': 'text/plain; charset=utf-8' },
  })
  fits(await wire.request({ path: maps }), { status: 200 })
  leave()
  await slow
  await wire.stop()
})

// K-08
test('a watch holds no seat while it is open', async () => {
  const wire = await startTestServer({ fairness: false, inFlight: { reading: 1, changing: 1 } })
  const watch = await wire.open({ path: `${maps}?watch=1` })
  fits(await wire.request({ path: maps }), { status: 200 })
  const { text } = await wire.request({ path: '/metrics' })
  assert.match(
    text,
    'apiserver_longrunning_requests{component="apiserver",group="",resource="configmaps",scope="namespace",subresource="",verb="WATCH",version="v1"} 1\n',
  )
  watch.destroy()
  await wire.stop()
})

// H-08, H-09
test('requests are counted by what they asked for and how they were answered', async () => {
  const wire = await startTestServer()
  await wire.request({ path: maps })
  await wire.request({
    method: 'POST',
    path: `${maps}?dryRun=All`,
    body: { metadata: { name: 'c' } },
  })
  await wire.request({ path: `${maps}/nothing` })
  await wire.request({ path: '/nowhere' })
  const { text, headers } = await wire.request({ path: '/metrics' })
  assert.is(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8')
  const rows = [
    'apiserver_request_total{verb="LIST",dry_run="",group="",version="v1",resource="configmaps",subresource="",scope="namespace",component="apiserver",code="200"} 1',
    'apiserver_request_total{verb="POST",dry_run="All",group="",version="v1",resource="configmaps",subresource="",scope="namespace",component="apiserver",code="201"} 1',
    'apiserver_request_total{verb="GET",dry_run="",group="",version="v1",resource="configmaps",subresource="",scope="resource",component="apiserver",code="404"} 1',
    'apiserver_request_total{verb="GET",dry_run="",group="",version="",resource="",subresource="",scope="",component="apiserver",code="404"} 1',
    'apiserver_request_duration_seconds_count{verb="LIST",dry_run="",group="",version="v1",resource="configmaps",subresource="",scope="namespace",component="apiserver"} 1',
    'apiserver_flowcontrol_dispatched_requests_total{priority_level="global-default",flow_schema="global-default"}',
    'orch_build_info{major="1",minor="29",',
    'process_cpu_seconds_total ',
  ]
  for (const row of rows) assert.ok(text.includes(row), `${row}\n${text}`)
  await wire.stop()
})

// H-11
test('/metrics/slis holds the health checks alone, and OpenMetrics is written when asked for', async () => {
  const wire = await startTestServer()
  await wire.request({ path: '/livez' })
  const accept = 'application/openmetrics-text;version=1.0.0,text/plain;q=0.5'
  const { text, headers } = await wire.request({ path: '/metrics/slis', headers: { accept } })
  assert.match(String(headers['content-type']), 'application/openmetrics-text; version=1.0.0')
  assert.match(text, 'orch_healthcheck{name="ping",type="livez"} 1\n')
  assert.match(text, 'orch_healthchecks_total{name="ping",type="livez",status="success"} 1\n')
  assert.not.match(text, 'apiserver_')
  assert.ok(text.endsWith('# EOF\n'))
  fits(await wire.request({ path: '/metrics/other' }), { status: 404 })
  await wire.stop()
})

// A4.71, H-06
test('livez passes over a beginning while its grace lasts', async () => {
  const beginning = {
    name: 'poststarthook/slow',
    startup: true,
    check() {
      throw new Error('not finished')
    },
  }
  const patient = await startTestServer({ checks: [beginning], livezGraceMs: 60_000 })
  fits(await patient.request({ path: '/livez' }), { status: 200 })
  fits(await patient.request({ path: '/livez/poststarthook/slow' }), { status: 200, body: 'ok' })
  fits(await patient.request({ path: '/readyz' }), { status: 500 })
  await patient.stop()
  const strict = await startTestServer({ checks: [beginning] })
  fits(await strict.request({ path: '/livez' }), { status: 500 })
  await strict.stop()
})

// H-11
test('/metrics/slis is there while its gate is on', async () => {
  const wire = await startTestServer({ gates: new Set() })
  fits(await wire.request({ path: '/metrics/slis' }), { status: 404 })
  fits(await wire.request({ path: '/metrics' }), { status: 200 })
  await wire.stop()
})

test.run()
