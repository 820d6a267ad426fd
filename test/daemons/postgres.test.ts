import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { defaultKubectl, type Kubectl, kubectl } from '../support/kubectl.ts'
import { apiserverCommand, type Running, runNode, startProgram } from '../support/orch.ts'
import { noPostgres, type Postgres, postgresPrograms, startPostgres } from '../support/postgres.ts'
import { tempDirectory } from '../support/temp.ts'
import { until } from '../support/until.ts'

const daemon = suite('daemons/apiserver: on PostgreSQL')

const skipped = (why: string): typeof daemon =>
  ((name: string) => console.log(`SKIP ${name}: ${why}`)) as never
const test = postgresPrograms === undefined ? skipped(noPostgres) : daemon
const binary = defaultKubectl()
const testWithKubectl =
  binary === undefined ? skipped('there is no kubectl (apt-get install kubernetes-client)') : test

let postgres: Postgres
daemon.before(async () => {
  if (postgresPrograms !== undefined) postgres = await startPostgres()
})

const start = (schema: string): Promise<Running> =>
  startProgram(apiserverCommand, ['--insecure-port=0', `--storage=${postgres.url(schema)}`])

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely
type Answer = any

async function get({ url }: Running, path: string): Promise<Answer> {
  return (await fetch(url + path)).json()
}

async function send(
  { url }: Running,
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; body: Answer; headers: Headers }> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url + path, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json(), headers: response.headers }
}

const maps = '/api/v1/namespaces/default/configmaps'
const services = '/api/v1/namespaces/default/services'

function kubectlOf({ url }: Running, file: string): Kubectl {
  const home = tempDirectory()
  const config = join(home, file)
  writeFileSync(
    config,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'a',
      clusters: [{ name: 'a', cluster: { server: url } }],
      contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
      users: [{ name: 'a', user: {} }],
    }),
  )
  return kubectl(binary!, config, home)
}

testWithKubectl(
  'kubectl creates, watches, reads and deletes, and what was made is there after a restart',
  async () => {
    let server = await start('restarted')
    let cli = kubectlOf(server, 'first')
    const watching = cli.follow('get configmaps -w -o name')
    await cli.ok('create configmap kept --from-literal=a=1')
    await cli.ok('create configmap gone --from-literal=a=1')
    await watching.printed(/configmap\/kept/)
    await cli.ok('delete configmap gone')
    await watching.printed(/configmap\/gone[\s\S]*configmap\/gone/)
    await watching.stop()
    const before = await get(server, `${maps}/kept`)
    assert.is(await server.stop(), 0)
    server = await start('restarted')
    assert.equal(await get(server, `${maps}/kept`), before)
    cli = kubectlOf(server, 'second')
    assert.is((await cli.ok('get configmap -o name')).trim(), 'configmap/kept')
    await cli.ok('label configmap kept color=blue')
    assert.is(await server.stop('SIGKILL'), 'SIGKILL')
    server = await start('restarted')
    assert.is((await get(server, `${maps}/kept`)).metadata.labels.color, 'blue')
    await server.stop()
  },
)

test('two servers on one database give the same answers', async () => {
  const [one, other] = await Promise.all([start('same'), start('same')])
  const pair = [one, other] as const
  for (let index = 0; index < 20; index++) {
    const [writer, reader] = index % 2 === 0 ? pair : [other, one]
    const made = await send(writer, 'POST', maps, { metadata: { name: `m-${index}` } })
    assert.is(made.status, 201)
    assert.equal(await get(reader, `${maps}/m-${index}`), made.body)
  }
  const [list, same] = [await get(one, maps), await get(other, maps)]
  assert.equal(same.items, list.items)

  // A page of one server goes on at the other one, and a watch resumes there.
  const page = await get(one, `${maps}?limit=8`)
  await send(other, 'DELETE', `${maps}/m-9`)
  const rest = await get(other, `${maps}?continue=${encodeURIComponent(page.metadata.continue)}`)
  const names = [...page.items, ...rest.items].map(({ metadata }: Answer) => metadata.name)
  assert.equal(
    names,
    list.items.map(({ metadata }: Answer) => metadata.name),
  )
  const { resourceVersion } = page.metadata
  const query = `?watch=true&timeoutSeconds=1&resourceVersion=${resourceVersion}`
  assert.match(await (await fetch(`${other.url}${maps}${query}`)).text(), '"type":"DELETED"')

  // Of two updates of one version one wins, whichever servers they go through.
  const object = await get(one, `${maps}/m-0`)
  const updates = await Promise.all(
    pair.map((server, at) =>
      send(server, 'PUT', `${maps}/m-0`, { ...object, data: { by: `${at}` } }),
    ),
  )
  assert.equal(updates.map(({ status }) => status).sort(), [200, 409])
  assert.equal(await get(one, `${maps}/m-0`), await get(other, `${maps}/m-0`))
  await Promise.all(pair.map((server) => server.stop()))
})

test('no two services get one address or port, whichever servers they are made through', async () => {
  const pair = await Promise.all([start('ranges'), start('ranges')])
  const made = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      send(pair[index % 2] as Running, 'POST', services, {
        metadata: { name: `s-${index}` },
        spec: { type: 'NodePort', ports: [{ port: 80 }] },
      }),
    ),
  )
  assert.ok(made.every(({ status }) => status === 201))
  const addresses = new Set(made.map(({ body }) => body.spec.clusterIP))
  const ports = new Set(made.map(({ body }) => body.spec.ports[0].nodePort))
  assert.equal([addresses.size, ports.size], [40, 40])
  const clash = {
    metadata: { name: 'clash' },
    spec: { clusterIP: made[0]?.body.spec.clusterIP, ports: [{ port: 80 }] },
  }
  assert.is((await send(pair[1] as Running, 'POST', services, clash)).status, 422)
  await Promise.all(pair.map((server) => server.stop()))
})

test('a kind that is defined through one server is served by the other, too', async () => {
  const [one, other] = await Promise.all([start('defined'), start('defined')])
  const definition = {
    apiVersion: 'apiextensions.orch.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
            },
          },
        },
      ],
    },
  }
  const path = '/apis/apiextensions.orch.io/v1/customresourcedefinitions'
  assert.is((await send(one, 'POST', path, definition)).status, 201)
  const widgets = '/apis/example.com/v1/namespaces/default/widgets'
  const widget = {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name: 'a' },
    spec: { size: 1 },
  }
  await until(
    'served by the other',
    async () => (await send(other, 'POST', widgets, widget)).status === 201,
  )
  await until('served by both', async () => (await get(one, `${widgets}/a`)).spec?.size === 1)
  await Promise.all([one.stop(), other.stop()])
})

test('the service of the API leads to all servers that are there, and settles', async () => {
  const path = '/api/v1/namespaces/default/endpoints/orch'
  const portsOf = async (server: Running): Promise<number[]> =>
    ((await get(server, path)).subsets ?? []).map(({ ports }: Answer) => ports[0].port)
  const [one, other] = await Promise.all([start('found'), start('found')])
  const both = [one, other].map(({ url }) => Number(new URL(url).port)).sort((a, b) => a - b)
  await until('both are found', async () => `${await portsOf(one)}` === `${both}`)
  const versions = async () => (await get(one, path)).metadata.resourceVersion
  const before = await versions()
  for (let index = 0; index < 20; index++)
    await send(other, 'POST', maps, { metadata: { name: `x-${index}` } })
  assert.is(await versions(), before)
  await one.stop()
  assert.equal(await portsOf(other), [Number(new URL(other.url).port)])
  await other.stop()
})

test('while the database is away requests are 503 with the reason, readyz says it, and all is well again by itself', async () => {
  const server = await start('away')
  await send(server, 'POST', maps, { metadata: { name: 'before' } })
  await postgres.stop()
  const read = await send(server, 'GET', `${maps}/before`)
  assert.is(read.status, 503)
  assert.match(read.body.message, /the database at .* cannot be used now: .*start the database/)
  assert.is(read.headers.get('retry-after'), '1')
  const written = await send(server, 'POST', maps, { metadata: { name: 'during' } })
  assert.is(written.status, 503)
  assert.is((await fetch(`${server.url}/readyz`)).status, 500)
  assert.match(await (await fetch(`${server.url}/readyz/etcd`)).text(), /cannot be used now/)
  await postgres.start()
  await until('ready', async () => (await fetch(`${server.url}/readyz`)).status === 200)
  assert.is((await send(server, 'POST', maps, { metadata: { name: 'after' } })).status, 201)
  assert.equal(
    (await get(server, maps)).items.map(({ metadata }: Answer) => metadata.name),
    ['after', 'before'],
  )
  await server.stop()
})

daemon('a wrong --storage is refused without its password', async () => {
  const url = 'postgres://ann:s3same@db.example/orch?sslmode=perhaps'
  const { code, stderr } = await runNode(apiserverCommand, ['--check-config', `--storage=${url}`])
  assert.is(code, 1)
  assert.match(
    stderr,
    /--storage postgres:\/\/ann:\*\*\*@db.example.*: has sslmode=perhaps: must be disable, require/,
  )
  assert.not.match(stderr, 's3same')
  const away = await runNode(apiserverCommand, [
    '--insecure-port=0',
    '--storage=postgres://ann:s3same@127.0.0.1:1/orch',
  ])
  assert.is(away.code, 1)
  assert.match(
    away.stderr,
    /the database at 127.0.0.1:1\/orch cannot be opened as a store: .*ECONNREFUSED.*: start the database/,
  )
  assert.is(away.stderr.trim().split('\n').length, 1, 'a message, and no stack')
  assert.not.match(away.stderr, 's3same')
})

daemon.run()
