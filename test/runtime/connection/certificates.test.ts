/** A client that shows certificates, against a server that looks at them. */
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect as connectTo, type Socket } from 'node:net'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { namespaces } from '../../../generated/apis/core/v1/namespace.ts'
import { scheme } from '../../../generated/scheme.ts'
import { type RunningApiServer, startApiServer } from '../../../runtime/apiserver/apiserver.ts'
import type { CertificatePair } from '../../../runtime/certificates/certificates.ts'
import type { Client } from '../../../runtime/client/client.ts'
import { connect } from '../../../runtime/connection/connection.ts'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import { silentLog } from '../../../runtime/observe/observe.ts'
import { assertRejects } from '../../support/rejects.ts'
import { tempDirectory } from '../../support/temp.ts'
import { clientPair, newAuthority, serverPair } from '../../support/tls.ts'
import { until } from '../../support/until.ts'

interface Context {
  readonly folder: string
  readonly clients: Client[]
}

const test = suite<Context>('runtime/connection: certificates')

const authority = await newAuthority()
const folderOfServer = tempDirectory()
const clientsFile = join(folderOfServer, 'clients.crt')
await writeFile(clientsFile, authority.cert)
const pair = await serverPair(authority, ['api.example', '127.0.0.1'])
const jane = await clientPair(authority, 'jane', ['dev'])
let server: RunningApiServer

test.before(async () => {
  server = await startApiServer({
    scheme,
    storage: { kind: 'memory' },
    clock: systemClock,
    log: silentLog,
    secure: { port: 0, certificate: pair, clientAuthorities: { file: clientsFile } },
    authentication: { anonymous: false },
  })
})
test.after(() => server.stop())

test.before.each((context) => {
  Object.assign(context, { folder: tempDirectory(), clients: [] })
})
test.after.each(async ({ clients }) => {
  for (const client of clients) await client.close()
})

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

/** A client by an orchconfig file with these entries of the cluster and the user. */
async function clientOf(
  { folder, clients }: Context,
  cluster: Readonly<Record<string, string>>,
  user: Readonly<Record<string, string>>,
): Promise<Client> {
  const file = join(folder, 'orchconfig')
  const config = {
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'jane' } }],
    clusters: [
      {
        name: 'c',
        cluster: {
          server: server.url,
          'certificate-authority-data': base64(authority.cert),
          ...cluster,
        },
      },
    ],
    users: [{ name: 'jane', user }],
  }
  await writeFile(file, JSON.stringify(config))
  const client = await connect(file, { environment: {} })
  clients.push(client)
  return client
}

function dataOf({ cert, key }: CertificatePair): Record<string, string> {
  return { 'client-certificate-data': base64(cert), 'client-key-data': base64(key) }
}

async function works(client: Client): Promise<void> {
  assert.is((await client.resource(namespaces).get('default')).metadata.name, 'default')
}

test('a certificate in the file itself is shown', async (context) => {
  await works(await clientOf(context, {}, dataOf(jane)))
})

test('a watch goes over the same kind of connection', async (context) => {
  const client = await clientOf(context, {}, dataOf(jane))
  for await (const event of client.resource(namespaces).watch({}, AbortSignal.timeout(60_000))) {
    assert.is(event.type, 'ADDED')
    break
  }
})

test('certificates in files are read again when the server refuses those that were there', async (context) => {
  const write = async ({ cert, key }: CertificatePair): Promise<void> => {
    await writeFile(join(context.folder, 'user.crt'), cert)
    await writeFile(join(context.folder, 'user.key'), key)
  }
  await write(jane)
  const files = { 'client-certificate': 'user.crt', 'client-key': 'user.key' }
  const client = await clientOf(context, {}, files)
  await works(client)
  const next = await newAuthority('the next authority')
  await write(await clientPair(next, 'jane'))
  await writeFile(clientsFile, next.cert)
  const old = await clientOf(context, {}, dataOf(jane))
  await until('the old authority to go', () =>
    old
      .resource(namespaces)
      .get('default')
      .then(
        () => false,
        ({ reason }) => reason === 'Unauthorized',
      ),
  )
  await works(client)
  await writeFile(clientsFile, authority.cert)
  await until('the authority to come back', () => works(old).then(() => true))
})

test('without a certificate, or with one of another authority, it is 401 and says whose', async (context) => {
  const stranger = await clientPair(await newAuthority(), 'jane', ['system:masters'])
  for (const user of [{}, dataOf(stranger)]) {
    const client = await clientOf(context, {}, user)
    const error = await assertRejects(client.resource(namespaces).get('default'), 'Unauthorized')
    assert.match(error.message, 'orchconfig')
  }
})

test('a server of an authority that is not trusted is not spoken to', async (context) => {
  const other = await newAuthority()
  const cluster = { 'certificate-authority-data': base64(other.cert) }
  const client = await clientOf(context, cluster, dataOf(jane))
  const error = await client
    .resource(namespaces)
    .get('default')
    .catch((one: Error) => one)
  assert.instance(error, Error)
  assert.match((error as Error).message, 'authority that is not trusted')
})

test('a certificate for another name is refused, unless that name is said to be meant', async (context) => {
  const { port } = new URL(server.url)
  const local = { server: `https://localhost:${port}` }
  const client = await clientOf(context, local, dataOf(jane))
  const error = await client
    .resource(namespaces)
    .get('default')
    .catch((one: Error) => one)
  assert.match((error as Error).message, 'set tls-server-name to one of its names')
  await works(await clientOf(context, { ...local, 'tls-server-name': 'api.example' }, dataOf(jane)))
})

test('a proxy brings the connection to the server, and sees nothing of it', async (context) => {
  const targets: string[] = []
  const proxy = await tunnel(targets)
  const { port } = proxy.address() as AddressInfo
  const cluster = { 'proxy-url': `http://127.0.0.1:${port}` }
  await works(await clientOf(context, cluster, dataOf(jane)))
  assert.equal(new Set(targets), new Set([new URL(server.url).host]))
  proxy.closeAllConnections()
  proxy.close()
})

/** A proxy that opens tunnels. */
async function tunnel(targets: string[]): Promise<Server> {
  const proxy = createServer()
  proxy.on('connect', (request, socket: Socket) => {
    targets.push(request.url ?? '')
    const [host = '', port] = (request.url ?? '').split(':')
    const onward = connectTo(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      onward.pipe(socket).pipe(onward)
    })
    for (const one of [onward, socket]) one.on('error', () => one.destroy())
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return proxy
}

test('plain HTTP to the port for TLS is told what is wrong', async (context) => {
  const cluster = {
    server: server.url.replace('https:', 'http:'),
    'certificate-authority-data': '',
  }
  const client = await clientOf(context, cluster, {})
  const error = await client
    .resource(namespaces)
    .get('default')
    .catch((one: Error) => one)
  assert.match((error as Error).message, 'Client sent an HTTP request to an HTTPS server')
})

test('no error names a key', async (context) => {
  const secret = jane.key.split('\n')[1] ?? ''
  const broken = { ...dataOf(jane), 'client-key-data': base64(jane.key.replace(/\n.{20}/, '\n')) }
  const error = await clientOf(context, {}, broken)
    .then((client) => client.resource(namespaces).get('default'))
    .catch((one: Error) => one)
  assert.instance(error, Error)
  assert.not((error as Error).message.includes(secret.slice(20)))
})

test.run()
