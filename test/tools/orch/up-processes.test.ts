/** `orch up` with several processes: one server of two, and two servers on one database. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { configMaps } from '../../../generated/apis/core/v1/config-map.ts'
import { namespaces } from '../../../generated/apis/core/v1/namespace.ts'
import { serviceAccounts } from '../../../generated/apis/core/v1/service-account.ts'
import { connect, loadConfig } from '../../../runtime/connection/connection.ts'
import { orchCommand, runNode, startProgram } from '../../support/orch.ts'
import { noPostgres, postgresPrograms, startPostgres } from '../../support/postgres.ts'
import { tempDirectory } from '../../support/temp.ts'
import { getOverTls } from '../../support/tls.ts'
import { until } from '../../support/until.ts'

const test = suite('tools/orch/up: several processes')

test('--processes: one server of two processes, whose first one runs the controllers', async () => {
  const folder = tempDirectory()
  const running = await startProgram(orchCommand, ['up', '--data-dir', folder, '--processes=2'])
  assert.is(childrenOf(running.process.pid).length, 2)
  const clients = await Promise.all([1, 2, 3, 4].map(() => connect(join(folder, 'orchconfig'))))
  const [first] = clients as [(typeof clients)[number]]
  await first.resource(namespaces).create({ metadata: { name: 'shop' } })
  for (const client of clients) {
    const account = { namespace: 'shop', name: 'default' }
    await until('its account', () => client.resource(serviceAccounts).find(account))
  }
  await Promise.all(clients.map((client) => client.close()))
  assert.is(await running.stop(), 0)
})

test('--replicas without a database that can be shared says what to do', async () => {
  const { code, stderr } = await runNode(orchCommand, ['up', '--replicas=2'])
  assert.is(code, 1)
  assert.match(stderr, '--storage postgres://USER@HOST/DATABASE')
  assert.match(stderr, 'For more cores of this machine: --processes 2')
  assert.match(stderr, '--replicas: --port PORT says where')
})

if (postgresPrograms === undefined) console.log(`SKIP --replicas: ${noPostgres}`)
else {
  test('--replicas: two servers on one database answer alike, and come back when both are killed at once', async () => {
    const [folder, port] = [tempDirectory(), await freePorts(2)]
    const postgres = await startPostgres()
    const storage = postgres.url('replicas')
    const args = [
      'up',
      '--data-dir',
      folder,
      '--replicas=2',
      `--port=${port}`,
      `--storage=${storage}`,
    ]
    const running = await startProgram(orchCommand, args)
    assert.is(running.url, `https://127.0.0.1:${port}`)
    assert.match(running.greeting, `server 2: https://127.0.0.1:${port + 1}`)
    const client = await connect(join(folder, 'orchconfig'))
    const { resourceVersion } = (
      await client.resource(configMaps).create({ metadata: { name: 'a', namespace: 'default' } })
    ).metadata
    const facts = (await loadConfig(join(folder, 'orchconfig'))) as Parameters<typeof getOverTls>[1]
    const path = '/api/v1/namespaces/default/configmaps/a'
    const throughOther = () => getOverTls(`https://127.0.0.1:${port + 1}${path}`, facts)
    assert.match(await bodyOf(throughOther()), `"resourceVersion":"${resourceVersion}"`)
    for (const pid of childrenOf(running.process.pid)) process.kill(pid, 'SIGKILL')
    await until('both are back', async () => {
      const known = client.resource(configMaps).get({ namespace: 'default', name: 'a' })
      const answers = await Promise.allSettled([known, throughOther()])
      return answers.every(({ status }) => status === 'fulfilled')
    })
    assert.is((await throughOther()).status, 200)
    await client.close()
    assert.is(await running.stop(), 0)
    await postgres.stop()
  })
}

async function bodyOf(answer: ReturnType<typeof getOverTls>): Promise<string> {
  return (await answer).text
}

function childrenOf(pid = 0): readonly number[] {
  const found = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
  return found.trim().split(/\s+/).map(Number)
}

/** The first of so many ports in a row that nobody listens on, outside of those that systems pick. */
async function freePorts(count: number): Promise<number> {
  for (let port = 20_000 + (process.pid % 5000); ; port += count) {
    const all = Array.from({ length: count }, (_, index) => isFree(port + index))
    if ((await Promise.all(all)).every(Boolean)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}

test.run()
