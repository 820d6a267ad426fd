// How a request reaches a server: as whom, through which proxy, under which certificate, and what is said when it does not.
import { createServer as createHttp, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createHttps, type ServerOptions } from 'node:https'
import { type AddressInfo, connect, createServer as createTcp, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type ConnectionConfig,
  type Credentials,
  createClient,
  httpTransport,
} from '../../../runtime/client/client.ts'
import type { AnyKind } from '../../../runtime/kernel/descriptors/kind.ts'
import { createAuthority } from '../../support/authority.ts'
import { assertRejects } from '../../support/rejects.ts'

const kind = {
  ...{ group: 'shop.example.com', version: 'v1', kind: 'Part' },
  ...{ plural: 'parts', scope: 'Namespaced' },
} as AnyKind

interface Bench {
  /** What ends what a test began, the last first. */
  ends: (() => unknown)[]
}

const test = suite<Bench>('runtime/client: ways to a server')

test.before.each((context) => {
  context.ends = []
})

test.after.each(async ({ ends }) => {
  for (const end of ends.reverse()) await end()
})

interface Listening {
  listen(port: number, host: string, done: () => void): unknown
  address(): unknown
  close(): unknown
  on(event: 'connection', listener: (socket: Socket) => void): unknown
}

/** Listens until the test ends; gives the port. */
async function listen({ ends }: Bench, server: Listening): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ends.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

const fine: RequestListener = (_, response) => response.end('{"metadata":{"name":"x"}}')

/** A server whose requests are kept. */
async function startServer(context: Bench, tls?: ServerOptions, answer: RequestListener = fine) {
  const seen: IncomingMessage[] = []
  const listener: RequestListener = (request, response) => {
    seen.push(request)
    answer(request, response)
  }
  const server = tls === undefined ? createHttp(listener) : createHttps(tls, listener)
  const port = await listen(context, server)
  return { seen, port, url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}` }
}

function clientOf({ ends }: Bench, server: string, config: Partial<ConnectionConfig> = {}) {
  const client = createClient(httpTransport({ server, ...config }), { retries: 1 })
  ends.push(() => client.close())
  return client.resource(kind)
}

test('whom to act as is said in every request, as the public client says it', async (context) => {
  const { url, seen } = await startServer(context)
  const parts = clientOf(context, url, {
    token: 't',
    impersonate: {
      user: 'jörg',
      uid: '7',
      groups: ['a', 'b'],
      extra: { 'example.com/Team 100%': ['x', 'y'] },
    },
  })
  await parts.get('x')
  const headers = seen[0]?.rawHeaders ?? []
  const pairs = headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] ?? '']] : []))
  const said = pairs.filter(([name = '']) => /^(impersonate|authorization)/i.test(name))
  assert.equal(
    said.map(([name, value = '']) => `${name}: ${Buffer.from(value, 'latin1')}`),
    [
      'authorization: Bearer t',
      'impersonate-user: jörg',
      'impersonate-uid: 7',
      'impersonate-group: a',
      'impersonate-group: b',
      'impersonate-extra-example.com%2FTeam%20100%25: x',
      'impersonate-extra-example.com%2FTeam%20100%25: y',
    ],
  )
})

test('groups without a user to act as never leave: they would be sent as the stronger user', () => {
  const impersonate = { user: '', groups: ['a'] }
  assert.throws(
    () => httpTransport({ server: 'http://127.0.0.1:1', impersonate }),
    /groups, uid and extra need a user to act as/,
  )
})

test('a name that would be a header of its own never leaves', async (context) => {
  const { url, seen } = await startServer(context)
  const parts = clientOf(context, url, { impersonate: { user: 'a\r\nimpersonate-group: admins' } })
  await assertRejects(parts.get('x'), 'ServiceUnavailable')
  assert.is(seen.length, 0)
})

/** An HTTP proxy that opens tunnels, and hands on requests with a whole address. */
async function startProxy(context: Bench, tls?: ServerOptions) {
  const seen: string[] = []
  const forward: RequestListener = (request, response) => {
    seen.push(`${request.url} ${request.headers['proxy-authorization'] ?? ''}`)
    fine(request, response)
  }
  const server = tls === undefined ? createHttp(forward) : createHttps(tls, forward)
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    seen.push(`CONNECT ${request.url} ${request.headers['proxy-authorization'] ?? ''}`)
    if (request.headers['proxy-authorization'] === undefined) {
      return socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
    }
    const [host, port] = (request.url ?? '').split(':')
    const beyond = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.pipe(beyond).pipe(socket)
    })
    beyond.on('error', () => socket.destroy())
    context.ends.push(() => beyond.destroy())
    return undefined
  })
  return { seen, port: await listen(context, server) }
}

const basic = `Basic ${Buffer.from('me:s@fe').toString('base64')}`

test('a request with TLS goes through a tunnel of the proxy, which sees its host only', async (context) => {
  const authority = createAuthority()
  const server = await startServer(context, authority.issue(['localhost']))
  const proxy = await startProxy(context)
  const config = {
    proxy: `http://me:s%40fe@127.0.0.1:${proxy.port}`,
    ca: authority.root,
    token: 't',
  }
  const parts = clientOf(context, server.url, config)
  await parts.get('x')
  await parts.get('x')
  assert.equal(proxy.seen, [`CONNECT 127.0.0.1:${server.port} ${basic}`])
  assert.is(server.seen[1]?.headers.authorization, 'Bearer t')
  assert.is(server.seen[1]?.headers['proxy-authorization'], undefined)
})

test('the name to verify holds behind a proxy, too', async (context) => {
  const authority = createAuthority()
  const server = await startServer(context, authority.issue(['api.internal'], { local: false }))
  const { port } = await startProxy(context)
  const config = { proxy: `http://me:s%40fe@127.0.0.1:${port}`, ca: authority.root }
  await clientOf(context, server.url, { ...config, serverName: 'api.internal' }).get('x')
  const error = await assertRejects(
    clientOf(context, server.url, config).get('x'),
    'ServiceUnavailable',
  )
  assert.match(error.message, /is for DNS:api.internal: set tls-server-name to one of its names$/)
})

test('a request without TLS is handed to the proxy with its whole address', async (context) => {
  const proxy = await startProxy(context)
  const parts = clientOf(context, 'http://api.example.com:8080/prefix', {
    proxy: `http://me:s%40fe@127.0.0.1:${proxy.port}`,
  })
  await parts.get('x')
  const path = '/prefix/apis/shop.example.com/v1/namespaces/default/parts/x'
  assert.equal(proxy.seen, [`http://api.example.com:8080${path} ${basic}`])
})

test('a proxy that refuses is named, without its password', async (context) => {
  const { port } = await startProxy(context)
  const parts = clientOf(context, 'https://api.example.com', { proxy: `http://127.0.0.1:${port}` })
  const error = await assertRejects(parts.get('x'), 'ServiceUnavailable')
  assert.match(
    error.message,
    new RegExp(`proxy 127.0.0.1:${port}: no way to api.example.com:443: it answered 407$`),
  )
})

/** A SOCKS proxy that wants a name and a password; connects to this machine whatever the host. */
async function startSocks(context: Bench) {
  const seen: string[] = []
  const server = createTcp(async (socket) => {
    const next = () =>
      new Promise<Buffer>((resolve) => {
        socket.once('data', (bytes) => resolve(bytes as Buffer))
        socket.once('close', () => resolve(Buffer.alloc(0)))
      })
    const greeting = await next()
    seen.push(greeting.toString('hex'))
    socket.write(Buffer.of(5, 2))
    const login = (await next()).toString('latin1')
    seen.push(login.slice(1).replaceAll('\u0002', '|').replaceAll('\u0004', '|'))
    socket.write(Buffer.of(1, login.endsWith('s@fe') ? 0 : 1))
    const request = await next()
    if (request.length === 0) return
    seen.push(request.subarray(0, 4).toString('hex'))
    const port = request.readUInt16BE(request.length - 2)
    const beyond = connect(port, '127.0.0.1', () => {
      // In pieces, as networks do.
      socket.write(Buffer.of(5, 0, 0))
      setImmediate(() => {
        socket.write(Buffer.of(1, 0, 0, 0, 0, 0, 0))
        socket.pipe(beyond).pipe(socket)
      })
    })
    beyond.on('error', () => socket.end(Buffer.of(5, 5, 0, 1, 0, 0, 0, 0, 0, 0)))
    context.ends.push(() => beyond.destroy())
  })
  return { seen, port: await listen(context, server) }
}

test('a SOCKS proxy looks names up itself, and carries requests with and without TLS', async (context) => {
  const authority = createAuthority()
  const secure = await startServer(context, authority.issue(['api.internal']))
  const plain = await startServer(context)
  const socks = await startSocks(context)
  const config = { proxy: `socks5://me:s%40fe@127.0.0.1:${socks.port}`, ca: authority.root }
  await clientOf(context, `https://api.internal:${secure.port}`, config).get('x')
  await clientOf(context, `http://127.0.0.1:${plain.port}`, config).get('x')
  assert.equal(socks.seen.slice(0, 3), ['05020002', '|me|s@fe', '05010003'])
  assert.is(socks.seen[5], '05010001')
})

test('what a SOCKS proxy refuses is said', async (context) => {
  const socks = await startSocks(context)
  const tried = (credentials: string, server: string) =>
    clientOf(context, server, { proxy: `socks5://${credentials}@127.0.0.1:${socks.port}` }).get('x')
  const wrong = await assertRejects(tried('me:no', 'https://a.example.com'), 'ServiceUnavailable')
  assert.match(wrong.message, /it refuses the user and the password$/)
  const closed = await assertRejects(
    tried('me:s%40fe', 'https://a.example.com:1'),
    'ServiceUnavailable',
  )
  assert.match(closed.message, /no way to a.example.com: connection refused$/)
})

test('an address of a server that is none is refused at once', () => {
  for (const server of ['localhost:8080', 'nonsense', '', 'ftp://a']) {
    assert.throws(
      () => httpTransport({ server }),
      `server: ${JSON.stringify(server)}: expected http:// or https:// and a host`,
    )
  }
})

test('a proxy of another protocol is refused at once', () => {
  const wrong = () => httpTransport({ server: 'https://a', proxy: 'ftp://me:secret@proxy' })
  assert.throws(
    wrong,
    /proxy: "ftp:\/\/proxy": expected http:\/\/, https:\/\/ or socks5:\/\/ and a host/,
  )
})

test('a replaced client certificate is shown by the next request', async (context) => {
  const authority = createAuthority()
  const shown: string[] = []
  const server = await startServer(
    context,
    { ...authority.issue(['localhost']), ca: authority.root, requestCert: true },
    (request, response) => {
      const { subject } = (request.socket as TLSSocket).getPeerCertificate()
      shown.push(
        `${subject?.CN} on ${request.socket.remotePort === ports[0] ? 'the first' : 'another'} connection`,
      )
      ports.push(request.socket.remotePort)
      fine(request, response)
    },
  )
  const ports: (number | undefined)[] = []
  const one: Credentials = { ca: authority.root, ...authority.issue(['one']) }
  const two: Credentials = { ca: authority.root, ...authority.issue(['two']) }
  let current = one
  const credentials = { current: () => current, refused: () => false }
  const parts = clientOf(context, server.url, { credentials })
  await parts.get('x')
  await parts.get('x')
  current = two
  await parts.get('x')
  current = { ...two, token: 'only the token is new' }
  await parts.get('x')
  ports[0] = ports[2]
  assert.equal(shown.slice(0, 3), [
    'one on another connection',
    'one on the first connection',
    'two on another connection',
  ])
  assert.match(shown[3] ?? '', /^two/)
  assert.is(ports[3], ports[2])
})

test('a long answer may come compressed, from another machine', async (context) => {
  const { url, seen } = await startServer(context, undefined, (request, response) => {
    const body = '{"metadata":{"name":"packed"}}'
    if (request.headers['accept-encoding'] !== 'gzip') return response.end(body)
    return response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(body))
  })
  assert.is((await clientOf(context, url, { compression: true }).get('x')).metadata.name, 'packed')
  assert.is((await clientOf(context, url).get('x')).metadata.name, 'packed')
  assert.equal(
    seen.map(({ headers }) => headers['accept-encoding']),
    ['gzip', undefined],
  )
})

const wrongWays: readonly [string, Partial<ConnectionConfig>, RegExp][] = [
  [
    'of an unknown authority',
    {},
    /the certificate of 127.0.0.1:\d+ is of an authority that is not trusted: name that authority in certificate-authority/,
  ],
  [
    'that is PEM of nothing',
    { ca: 'x', cert: 'no', key: 'no' },
    /certificates or keys for .* cannot be used/,
  ],
]

for (const [name, config, message] of wrongWays) {
  test(`a certificate ${name} is said`, async (context) => {
    const { url } = await startServer(context, createAuthority().issue(['localhost']))
    const error = await assertRejects(clientOf(context, url, config).get('x'), 'ServiceUnavailable')
    assert.match(error.message, message)
  })
}

test('an expired certificate of the server is said', async (context) => {
  const authority = createAuthority()
  const { url } = await startServer(context, authority.issue(['localhost'], { expired: true }))
  const parts = clientOf(context, url, { ca: authority.root })
  const error = await assertRejects(parts.get('x'), 'ServiceUnavailable')
  assert.match(error.message, /the certificate of 127.0.0.1:\d+ has expired$/)
})

test('a server without TLS under an https address is said', async (context) => {
  const { port } = await startServer(context)
  const parts = clientOf(context, `https://127.0.0.1:${port}`)
  const error = await assertRejects(parts.get('x'), 'ServiceUnavailable')
  assert.match(error.message, /does not speak TLS: does its address begin with http:\/\//)
})

test('a server that is not there is said', async (context) => {
  const error = await assertRejects(
    clientOf(context, 'http://127.0.0.1:1').get('x'),
    'ServiceUnavailable',
  )
  assert.match(error.message, /no server listens at 127.0.0.1:1 \(connection refused\)$/)
})

test('a write whose connection broke is not sent again, and it is said that it may have been done', async (context) => {
  const { url, seen } = await startServer(context, undefined, (request) => request.destroy())
  const parts = clientOf(context, url)
  const error = await assertRejects(parts.delete('x'), 'ServiceUnavailable')
  assert.match(
    error.message,
    /closed the connection before it answered: the request may have been carried out$/,
  )
  assert.is(seen.length, 1)
})

test.run()
