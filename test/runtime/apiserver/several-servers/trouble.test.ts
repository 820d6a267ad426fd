/** What clients of a server get whose database is in trouble: 503 with the reason, in bounded time, and all is well again by itself. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type CustomServer, startCustom } from '../../../support/custom.ts'
import {
  noPostgres,
  type Postgres,
  postgresPrograms,
  startPostgres,
} from '../../../support/postgres.ts'
import { until } from '../../../support/until.ts'

const trouble = suite('runtime/apiserver: a database in trouble')
const test: typeof trouble =
  postgresPrograms === undefined
    ? (((name: string) => console.log(`SKIP ${name}: ${noPostgres}`)) as never)
    : trouble

let postgres: Postgres
trouble.before(async () => {
  if (postgresPrograms !== undefined) postgres = await startPostgres()
})
trouble.after(async () => void (await postgres?.stop()))

const maps = '/api/v1/namespaces/default/configmaps'
const start = (schema: string, parameters = ''): Promise<CustomServer> =>
  startCustom({ storage: { kind: 'postgres', url: postgres.url(schema) + parameters } })

const isReady = (server: CustomServer) => async (): Promise<boolean> =>
  (await server.ask('GET', '/readyz')).status === 200

test('while every connection waits for a lock, requests are 503, and readyz says why', async () => {
  const server = await start('pool', '&pool_size=1&statement_timeout=300')
  const locking = postgres.sql('BEGIN; LOCK TABLE pool.head; SELECT pg_sleep(3600)').catch(() => {})
  const refused = await until('it is refused', async () => {
    const answer = await server.ask('GET', maps)
    return answer.status === 200 ? undefined : answer
  })
  assert.is(refused.status, 503)
  assert.is(refused.headers.get('retry-after'), '1')
  assert.match(refused.json.message, /cannot be used now/)
  const many = await Promise.all(Array.from({ length: 20 }, () => server.ask('GET', maps)))
  assert.ok(many.every(({ status }) => status === 503 || status === 200))
  assert.match((await server.ask('GET', '/readyz/etcd')).text, /cannot be used now/)
  await postgres.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE query LIKE '%pg_sleep(3600)%' AND pid <> pg_backend_pid()`)
  await locking
  await until('it is ready', isReady(server))
  assert.is((await server.ask('POST', maps, { metadata: { name: 'a' } })).status, 201)
  await server.stop()
})

test('a database that becomes read-only is read; writes are 503 with the reason until it is not', async () => {
  const server = await start('reading')
  const set = (to: string) => `ALTER DATABASE postgres SET default_transaction_read_only = ${to}`
  const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'orch'`
  await postgres.sql(`${set('on')}; ${cut}`)
  const write = () => server.ask('POST', maps, { metadata: { name: 'a' } })
  const refused = await write()
  assert.is(refused.status, 503)
  assert.is(refused.headers.get('retry-after'), '1')
  assert.match(refused.json.message, /read-only/)
  assert.is((await server.ask('GET', maps)).status, 200)
  assert.is(await isReady(server)(), false)
  await postgres.sql(`SET TRANSACTION READ WRITE; ${set('off')}; ${cut}`)
  await until('it writes', async () => (await write()).status === 201)
  await until('it is ready', isReady(server))
  await server.stop()
})

test('a server whose database becomes that of another cluster ends, and says so', async () => {
  const server = await start('ours')
  const ended = server.server.ended.then(
    () => '',
    (error: Error) => error.message,
  )
  await postgres.sql('UPDATE ours.head SET store = gen_random_uuid()')
  assert.match(await ended, /has another store than before/)
  assert.is((await server.ask('GET', '/readyz')).status, 500)
  await server.stop().catch(() => {})
})

trouble.run()
