import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { configMaps } from '../../generated/apis/core/v1/config-map.ts'
import { serviceAccounts } from '../../generated/apis/core/v1/service-account.ts'
import { clusterRoleBindings, clusterRoles } from '../../generated/apis/rbac/v1.ts'
import { type Client, createClient, httpTransport } from '../../runtime/client/client.ts'
import { loadConfig } from '../../runtime/connection/connection.ts'
import { type ManagerProcess, startManager } from '../support/controller-manager.ts'
import { orchCommand, startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'
import { clientPair, getOverTls, newAuthority, serverPair } from '../support/tls.ts'
import { until } from '../support/until.ts'

const port = suite('daemons/controller-manager: the port')

const folder = tempDirectory()
const orchconfig = join(folder, 'orchconfig')
let up: Awaited<ReturnType<typeof startProgram>>
let client: Client
let admin: { cert: string; key: string }

port.before(async () => {
  up = await startProgram(orchCommand, [
    'up',
    '--port=0',
    `--orchconfig=${orchconfig}`,
    '--controllers=',
  ])
  const config = await loadConfig(orchconfig)
  client = createClient(httpTransport(config))
  const { cert = '', key = '' } = { ...config, ...(await config.credentials?.current()) }
  admin = { cert, key }
})

port.after(async () => {
  await client.close()
  await up.stop()
})

interface Served extends ManagerProcess {
  readonly url: string
}

/** Starts a manager whose port is free; another one may take it before, and then the next is tried. */
async function serve(...flags: readonly string[]): Promise<Served> {
  for (;;) {
    const free = await freePort()
    const name = `--leader-elect-resource-name=manager-${free}`
    const manager = startManager([
      ...[`--orchconfig=${orchconfig}`, '--bind-address=127.0.0.1', `--secure-port=${free}`, name],
      ...flags,
    ])
    const isReady = await manager.ready.then(
      () => true,
      (error: Error) => {
        if (!error.message.includes('EADDRINUSE')) throw error
      },
    )
    if (isReady) return { ...manager, url: `https://127.0.0.1:${free}` }
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = server.address() as AddressInfo
      server.close(() => resolve(free))
    })
  })
}

const unverified = { rejectUnauthorized: false }

const asked = [
  `--authentication-orchconfig=${orchconfig}`,
  `--authorization-orchconfig=${orchconfig}`,
]

/** A token of an account that may get some paths. */
async function tokenFor(name: string, paths: readonly string[]): Promise<string> {
  await client.resource(serviceAccounts).in('default').create({ metadata: { name } })
  const rules = [{ verbs: ['get', 'put'], nonResourceURLs: paths }]
  await client.resource(clusterRoles).create({ metadata: { name }, rules } as never)
  await client.resource(clusterRoleBindings).create({
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.orch.io', kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', name, namespace: 'default' }],
  } as never)
  const answer = await client
    .resource(serviceAccounts)
    .in('default')
    .createSubresource<{ status: { token: string } }>(name, 'token', {
      apiVersion: 'authentication.orch.io/v1',
      kind: 'TokenRequest',
      metadata: {},
      spec: {},
    })
  return answer.status.token
}

// D4.1 J-08
port('health is told to everyone, with a check for each controller and for the lease', async () => {
  const manager = await serve('--controllers=garbagecollector')
  const get = async (path: string) => getOverTls(`${manager.url}${path}`, unverified)
  for (const path of ['/healthz', '/livez', '/readyz']) {
    const { status, text, shown } = await get(path)
    assert.equal(
      { status, text, shown },
      { status: 200, text: 'ok', shown: 'orch-controller-manager' },
    )
  }
  const { text } = await get('/healthz?verbose')
  assert.match(text, '[+]leaderElection ok')
  assert.match(text, '[+]garbage-collector-controller ok')
  const { status, text: refused } = await get('/healthz/garbage-collector-controller')
  assert.is(status, 403)
  assert.equal(JSON.parse(refused), {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message:
      'forbidden: User "system:anonymous" cannot get path "/healthz/garbage-collector-controller"',
    reason: 'Forbidden',
    details: {},
    code: 403,
  })
  assert.is((await get('/metrics')).status, 403)
  assert.is(await manager.stop(), 0)
})

// H-11, H-13
port('metrics of health and profiles are there unless a gate or a flag says no', async () => {
  const open = '--authorization-always-allow-paths=/metrics,/metrics/slis,/debug/pprof/'
  for (const [flag, path] of [
    ['--feature-gates=ComponentSLIs=false', '/metrics/slis'],
    ['--profiling=false', '/debug/pprof/'],
  ] as const) {
    const manager = await serve('--controllers=ttl', open, flag)
    const statusOf = async (one: string) =>
      (await getOverTls(`${manager.url}${one}`, unverified)).status
    for (const one of ['/metrics', '/metrics/slis', '/debug/pprof/']) {
      assert.is(await statusOf(one), one === path ? 404 : 200, `${flag} ${one}`)
    }
    assert.is(await manager.stop(), 0)
  }
})

// D5.1
port('without --authentication-orchconfig every token is anonymous', async () => {
  const manager = await serve('--controllers=ttl', '--authorization-always-allow-paths=/metrics')
  const headers = { authorization: 'Bearer whatever' }
  const get = (path: string) => getOverTls(`${manager.url}${path}`, { ...unverified, headers })
  assert.is((await get('/metrics')).status, 200)
  assert.match((await get('/healthz')).text, 'User \\"system:anonymous\\" cannot get')
  assert.is(await manager.stop(), 0)
})

// D5.1 D5.2 J-08
port('tokens and rights are reviewed by the server', async () => {
  const token = await tokenFor('watcher', ['/metrics', '/configz', '/debug/*', '/healthz/*'])
  const manager = await serve(...asked)
  const headers = { authorization: `Bearer ${token}` }
  const get = (path: string) => getOverTls(`${manager.url}${path}`, { ...unverified, headers })
  await until('it leads', async () =>
    /^leader_election_master_status\{.*manager.*\} 1$/m.test((await get('/metrics')).text),
  )
  assert.match(
    (await get('/metrics')).text,
    'orch_feature_enabled{name="WatchList",stage="ALPHA"} 0',
  )
  const configuration = JSON.parse((await get('/configz')).text)
  const { Generic } = configuration['orchcontrollermanager.config.orch.io']
  assert.is(Generic.Address, '127.0.0.1')
  assert.is((await get('/healthz/leaderElection')).text, 'ok')
  assert.match((await get('/debug/pprof/')).text, '/debug/pprof/heap')
  assert.ok(JSON.parse((await get('/debug/pprof/heap?seconds=0.1')).text).head)
  assert.is((await get('/debug/nothing')).status, 404)
  const refused = await get('/metrics/slis')
  assert.is(refused.status, 403)
  assert.match(refused.text, 'User \\"system:serviceaccount:default:watcher\\" cannot get path')
  const slis = await getOverTls(`${manager.url}/metrics/slis`, { ...unverified, ...admin })
  assert.match(slis.text, /^orch_healthcheck\{name="leaderElection",type="healthz"\} 1$/m)
  const told = await putOverTls(`${manager.url}/debug/flags/v`, headers, '5')
  assert.is(told, 'successfully set klog.logging.verbosity to 5')
  const wrong = { ...unverified, headers: { authorization: 'Bearer whatever' } }
  assert.is((await getOverTls(`${manager.url}/healthz`, wrong)).status, 401)
  assert.is(await manager.stop(), 0)
})

function putOverTls(url: string, headers: Record<string, string>, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { ...unverified, agent: false, method: 'PUT', headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      answer.on('end', () => resolve(text))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

// D5.1 O-03
port(
  'who has a certificate that the server trusts is known, by what the server publishes',
  async () => {
    const manager = await serve(...asked, '--controllers=ttl')
    const get = (pair: object) =>
      getOverTls(`${manager.url}/metrics`, { ...unverified, ...pair }).then(({ status }) => status)
    assert.is(await get(admin), 200)
    const authority = await newAuthority()
    const stranger = await clientPair(authority, 'stranger', ['system:masters'])
    assert.is(await get(stranger), 401)
    const key = { namespace: 'orch-system', name: 'extension-apiserver-authentication' }
    const map = await client.resource(configMaps).get(key)
    const published = map.data?.['client-ca-file'] ?? ''
    const data = { ...map.data, 'client-ca-file': published + authority.cert }
    await client.resource(configMaps).update({ ...map, data })
    await until('the new authority counts', async () => (await get(stranger)) === 200)
    assert.is(await manager.stop(), 0)
  },
)

// D5.1 D5.6
port('files name the certificate, who vouches for users, and which proxies name them', async () => {
  const [users, proxies] = [await newAuthority('users'), await newAuthority('proxies')]
  const own = await serverPair(await newAuthority())
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const manager = await serve(
    `--client-ca-file=${write('users.pem', users.cert)}`,
    `--requestheader-client-ca-file=${write('proxies.pem', proxies.cert)}`,
    '--requestheader-allowed-names=front',
    `--tls-cert-file=${write('own.crt', own.cert)}`,
    `--tls-private-key-file=${write('own.key', own.key)}`,
    '--controllers=ttl',
  )
  const get = (pair: object, headers = {}) =>
    getOverTls(`${manager.url}/metrics`, { ...unverified, ...pair, headers })
  const user = await get(await clientPair(users, 'ann', ['system:masters']))
  assert.is(user.status, 200)
  assert.is(user.shown, 'server')
  assert.match((await get(await clientPair(users, 'bob'))).text, 'User \\"bob\\" cannot')
  const named = { 'x-remote-user': 'eve', 'x-remote-group': 'system:masters' }
  assert.is((await get(await clientPair(proxies, 'front'), named)).status, 200)
  assert.is((await get(await clientPair(proxies, 'other'), named)).status, 401)
  assert.is((await get({}, named)).status, 403)
  assert.is(await manager.stop(), 0)
})

// D5.6
port('a certificate that is made is kept in --cert-dir', async () => {
  const certificates = join(folder, 'certificates')
  const flags = ['--controllers=ttl', `--cert-dir=${certificates}`, '--profiling=false']
  const first = await serve(...flags)
  const ca = readFileSync(join(certificates, 'orch-controller-manager.crt'), 'utf8')
  assert.is((await getOverTls(`${first.url}/healthz`, { ca })).text, 'ok')
  assert.is(await first.stop(), 0)
  const second = await serve(...flags)
  assert.is((await getOverTls(`${second.url}/healthz`, { ca })).text, 'ok')
  const answer = await fetch(second.url.replace('https', 'http'))
  assert.match(await answer.text(), 'HTTP request to an HTTPS server')
  assert.is(await second.stop(), 0)
})

port('a port that is taken ends it with a reason, whoever is asked about callers', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port: number } = taken.address() as AddressInfo
  const flags = [`--orchconfig=${orchconfig}`, '--bind-address=127.0.0.1', '--controllers=ttl']
  const manager = startManager([...flags, ...asked, `--secure-port=${number}`])
  assert.is(await manager.ended, 1)
  assert.match(manager.output(), 'EADDRINUSE')
  taken.close()
})

port('whom the cluster trusts has to be found, unless the flags say otherwise', async () => {
  const nowhere = join(folder, 'nowhere')
  writeFileSync(
    nowhere,
    readFileSync(orchconfig, 'utf8').replace(/127\.0\.0\.1:\d+/, '127.0.0.1:1'),
  )
  const flag = `--authentication-orchconfig=${nowhere}`
  const { message } = (await serve(flag, '--controllers=ttl').catch(
    (error: Error) => error,
  )) as Error
  assert.match(message, 'whom the cluster trusts cannot be looked up')
  assert.match(message, '--authentication-tolerate-lookup-failure goes on without')
  for (const more of ['tolerate-lookup-failure', 'skip-lookup']) {
    const manager = await serve(flag, '--controllers=ttl', `--authentication-${more}`)
    assert.is(await manager.stop(), 0)
  }
})

port.run()
