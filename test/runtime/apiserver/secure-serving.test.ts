/** A server with TLS: what it shows, whom it knows by certificates, and what changes while it runs. */
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../generated/scheme.ts'
import {
  type ApiServerOptions,
  type RunningApiServer,
  type SecureServing,
  startApiServer,
} from '../../../runtime/apiserver/apiserver.ts'
import type { CertificatePair } from '../../../runtime/certificates/certificates.ts'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import { silentLog } from '../../../runtime/observe/observe.ts'
import { tempDirectory } from '../../support/temp.ts'
import { clientPair, getOverTls, newAuthority, serverPair } from '../../support/tls.ts'
import { until } from '../../support/until.ts'

const test = suite('runtime/apiserver: serving with TLS')

const authority = await newAuthority()
const pair = await serverPair(authority)
const running: RunningApiServer[] = []

async function start(
  secure: Partial<SecureServing> = {},
  options: Partial<ApiServerOptions> = {},
): Promise<RunningApiServer> {
  const server = await startApiServer({
    scheme,
    storage: { kind: 'memory' },
    clock: systemClock,
    log: silentLog,
    secure: { port: 0, certificate: pair, ...secure },
    ...options,
  })
  running.push(server)
  return server
}

test.after(async () => {
  await Promise.all(running.map((server) => server.stop()))
})

async function whoAmI(server: RunningApiServer, client: CertificatePair | object): Promise<string> {
  const body = '{"kind":"SelfSubjectReview","apiVersion":"authentication.orch.io/v1"}'
  const { status, text } = await post(
    server,
    '/apis/authentication.orch.io/v1/selfsubjectreviews',
    body,
    client,
  )
  if (status !== 201) return String(status)
  const { username, groups } = JSON.parse(text).status.userInfo
  return `${username} ${groups}`
}

function post(
  { url }: RunningApiServer,
  path: string,
  body: string,
  options: object,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    const sent = request(
      url + path,
      { method: 'POST', headers, ca: authority.cert, agent: false, ...options },
      (response) => {
        let text = ''
        response.on('data', (chunk) => {
          text += chunk
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

test('requests, lists and watches are answered over TLS as without it', async () => {
  const server = await start({}, { listen: { port: 0 } })
  assert.match(server.url, /^https:/)
  assert.match(server.insecureUrl, /^http:/)
  const path = '/api/v1/namespaces/default'
  const secure = await getOverTls(server.url + path, { ca: authority.cert })
  const plain = await fetch(server.insecureUrl + path)
  assert.is(secure.status, 200)
  assert.is(secure.text, await plain.text())
  const watch = request(`${server.url}/api/v1/namespaces?watch=1`, { ca: authority.cert }).end()
  const [response] = await once(watch, 'response')
  const [event] = await once(response, 'data')
  assert.is(JSON.parse(String(event).split('\n')[0] ?? '').type, 'ADDED')
  response.destroy()
})

test('a websocket is opened over TLS', async () => {
  const server = await start()
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'MDEyMzQ1Njc4OTAxMjM0NQ==',
  }
  const url = `${server.url}/api/v1/namespaces?watch=1`
  const sent = request(url, { ca: authority.cert, headers, agent: false }).end()
  const [response, socket, head] = await once(sent, 'upgrade')
  assert.is(response.statusCode, 101)
  const [data] = head.length > 0 ? [head] : await once(socket, 'data')
  assert.match(String(data), '"ADDED"')
  socket.destroy()
})

test('a foreign host and the page of a foreign origin are refused over TLS, too', async () => {
  const server = await start()
  const get = (headers: Record<string, string>) =>
    getOverTls(`${server.url}/api/v1/namespaces`, {
      ca: authority.cert,
      checkServerIdentity: () => undefined,
      headers,
    })
  assert.is((await get({ host: 'evil.example' })).status, 403)
  assert.is((await get({ origin: 'https://evil.example' })).status, 403)
})

test('HTTP without TLS is told so, as the reference tells it; other bytes end the connection', async () => {
  const server = await start()
  const { port } = new URL(server.url)
  const answer = async (bytes: string | Buffer): Promise<string> => {
    const socket = connect(Number(port), '127.0.0.1')
    socket.on('error', () => {})
    socket.end(bytes)
    let text = ''
    socket.on('data', (data) => {
      text += data.toString('latin1')
    })
    await once(socket, 'close')
    return text
  }
  const told = 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n'
  assert.is(await answer('GET /api HTTP/1.1\r\nHost: a\r\n\r\n'), told)
  assert.is(await answer(`POST /api HTTP/1.1\r\n\r\n${'x'.repeat(100_000)}`), told)
  for (const bytes of [Buffer.alloc(1000), Buffer.from([0x16, 3, 1, 255, 255, 0]), '', '\x16']) {
    assert.not.match(await answer(bytes), 'HTTP')
  }
  const { status } = await getOverTls(`${server.url}/readyz`, { ca: authority.cert })
  assert.is(status, 200)
})

test('a server stops while connections are silent or in the midst of a handshake', async () => {
  const server = await start()
  const { port } = new URL(server.url)
  const sockets = ['', '\x16\x03'].map((bytes) => {
    const socket = connect(Number(port), '127.0.0.1', () => bytes && socket.write(bytes, 'latin1'))
    socket.on('error', () => {})
    return socket
  })
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  await server.stop()
  for (const socket of sockets) socket.destroy()
})

test('versions and cipher suites are those that were named', async () => {
  const server = await start({
    minVersion: 'TLSv1.2',
    cipherSuites: 'ECDHE-ECDSA-AES256-GCM-SHA384:TLS_AES_128_GCM_SHA256',
  })
  const { port } = new URL(server.url)
  const shake = async (options: object): Promise<string> => {
    const socket: TLSSocket = connectTls({ port: Number(port), ca: authority.cert, ...options })
    const result = await Promise.race([
      once(socket, 'secureConnect').then(
        () => `${socket.getProtocol()} ${socket.getCipher().name}`,
      ),
      once(socket, 'error').then(() => 'refused'),
    ]).catch(() => 'refused')
    socket.destroy()
    return result
  }
  assert.is(await shake({}), 'TLSv1.3 TLS_AES_128_GCM_SHA256')
  assert.is(await shake({ maxVersion: 'TLSv1.2' }), 'TLSv1.2 ECDHE-ECDSA-AES256-GCM-SHA384')
  assert.is(await shake({ minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1' }), 'refused')
  const strict = await start({ minVersion: 'TLSv1.3' })
  const options = { ca: authority.cert, maxVersion: 'TLSv1.2' as const }
  const error = await getOverTls(strict.url, options).catch((one) => one)
  assert.instance(error, Error)
})

test('the certificate is that of the name that a client asks for', async () => {
  const issue = (name: string, ...hosts: string[]) => serverPair(authority, [name, ...hosts])
  const [own, other, wild] = await Promise.all([
    issue('own.example'),
    issue('other.example'),
    issue('*.wild.example'),
  ])
  const server = await start({
    named: [own, { ...other, names: ['given.example', '*.given.example'] }, wild],
  })
  const shownFor = async (servername: string): Promise<string | undefined> => {
    const socket = connectTls({
      port: Number(new URL(server.url).port),
      servername,
      rejectUnauthorized: false,
    })
    await once(socket, 'secureConnect')
    const { subjectaltname } = socket.getPeerCertificate()
    socket.destroy()
    return subjectaltname
  }
  assert.is(await shownFor('own.example'), 'DNS:own.example')
  assert.is(await shownFor('GIVEN.example'), 'DNS:other.example')
  assert.is(await shownFor('a.given.example'), 'DNS:other.example')
  assert.is(await shownFor('other.example'), 'DNS:localhost, IP Address:127.0.0.1')
  assert.is(await shownFor('a.wild.example'), 'DNS:*.wild.example')
  assert.is(await shownFor('a.b.wild.example'), 'DNS:localhost, IP Address:127.0.0.1')
  assert.is(await shownFor(''), 'DNS:localhost, IP Address:127.0.0.1')
})

test('a certificate names the user of its connection, and a wrong one is 401 [N-03]', async () => {
  const server = await start({ clientAuthorities: { pem: authority.cert } })
  const jane = await clientPair(authority, 'jane', ['dev', 'ops'])
  const stranger = await clientPair(await newAuthority(), 'jane', ['system:masters'])
  assert.match(await whoAmI(server, jane), /^jane dev,ops/)
  assert.match(await whoAmI(server, {}), /^system:anonymous/)
  assert.is(await whoAmI(server, stranger), '401')
})

test('for how long certificates are still good is counted at each request by one', async () => {
  const server = await start({ clientAuthorities: { pem: authority.cert } })
  const jane = await clientPair(authority, 'jane')
  for (let n = 0; n < 3; n++) assert.match(await whoAmI(server, jane), 'jane')
  await whoAmI(server, {})
  const { text } = await getOverTls(`${server.url}/metrics`, { ca: authority.cert, ...jane })
  const name = 'apiserver_client_certificate_expiration_seconds'
  assert.match(text, new RegExp(`^${name}_count 4$`, 'm'))
  assert.match(text, new RegExp(`^${name}_bucket\\{le="0"\\} 0$`, 'm'))
})

test('who vouches for clients changes for requests of connections that are open', async () => {
  const folder = tempDirectory()
  const file = join(folder, 'clients.pem')
  const next = await newAuthority('the next authority')
  await writeFile(file, authority.cert)
  const server = await start({ clientAuthorities: { file } })
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: authority.cert })
  const jane = await clientPair(authority, 'jane')
  assert.match(await whoAmI(server, { ...jane, agent }), /^jane/)
  await writeFile(file, 'nonsense')
  await writeFile(file, next.cert)
  await until(
    'the old authority to go',
    async () => (await whoAmI(server, { ...jane, agent })) === '401',
  )
  await writeFile(file, next.cert + authority.cert)
  await until('it to come back', async () =>
    (await whoAmI(server, { ...jane, agent })).startsWith('jane'),
  )
  agent.destroy()
})

test('another certificate is shown to new connections, and open ones go on', async () => {
  const folder = tempDirectory()
  const files = { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') }
  const write = async ({ cert, key }: CertificatePair): Promise<void> => {
    await writeFile(files.certFile, cert)
    await writeFile(files.keyFile, key)
  }
  await write(pair)
  const problems: string[] = []
  const log = {
    ...silentLog,
    error: (_: string, fields = {}) => void problems.push(JSON.stringify(fields)),
  }
  const server = await start({ certificate: files }, { log })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const get = (options: object) =>
    getOverTls(`${server.url}/readyz`, { ca: authority.cert, ...options })
  const watch = request(`${server.url}/api/v1/namespaces?watch=1`, {
    ca: authority.cert,
    agent: false,
  })
  const [response] = await once(watch.end(), 'response')
  assert.is((await get({ agent })).shown, 'server')
  const other = await newAuthority()
  const renewed = await serverPair(other)
  await write({ cert: renewed.cert, key: 'nonsense' })
  await until('the problem to be told', () => problems.length > 0)
  assert.match(problems[0] ?? '', 'the key cannot be read')
  assert.is((await get({})).status, 200)
  await write(renewed)
  await until('the new certificate', async () => (await get({ ca: other.cert })).status === 200)
  assert.is((await get({ agent })).status, 200)
  assert.not(response.destroyed)
  watch.destroy()
  agent.destroy()
  assert.not.match(problems.join(), pair.key.slice(40, 80))
})

test('everything that is wrong with files is said at the start, and nothing runs', async () => {
  const folder = tempDirectory()
  const [cert, key, ca] = ['a.crt', 'a.key', 'ca.crt'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  await writeFile(cert, pair.cert)
  await writeFile(key, (await serverPair(authority)).key)
  await writeFile(ca, 'nonsense')
  const error: Error = await start({
    certificate: { certFile: cert, keyFile: key },
    clientAuthorities: { file: ca },
  }).catch((one) => one)
  assert.match(error.message, `${cert}, ${key}: the key is not that of the certificate`)
  assert.match(error.message, `${ca}: no certificate in PEM form`)
})

test.run()
