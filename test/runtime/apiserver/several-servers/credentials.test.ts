/** What clients get while the database and a server do not let each other in: 503 with the reason, until one of them is put right. */
import { chmodSync, chownSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createAuthority, type ServerCertificate } from '../../../support/authority.ts'
import { type CustomServer, startCustom } from '../../../support/custom.ts'
import {
  noPostgres,
  type Postgres,
  postgresPrograms,
  startPostgres,
} from '../../../support/postgres.ts'
import { tempDirectory } from '../../../support/temp.ts'
import { until } from '../../../support/until.ts'

const credentials = suite('runtime/apiserver: credentials of the database')
const test: typeof credentials =
  postgresPrograms === undefined
    ? (((name: string) => console.log(`SKIP ${name}: ${noPostgres}`)) as never)
    : credentials

// Every address of the loopback network is this machine's: one that no other database has.
const address = `127.${1 + (process.pid >> 16)}.${(process.pid >> 8) & 255}.${process.pid & 255}`
const authority = createAuthority()
const folder = tempDirectory()
const file = (name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(path, text, { mode: 0o600 })
  return path
}
const root = file('ca.crt', authority.root)

let postgres: Postgres
credentials.before(async () => {
  if (postgresPrograms === undefined) return
  postgres = await startPostgres({ passwords: ['keen'], address })
  show(authority.issue(['orch']))
  place('ca.crt', authority.root)
  for (const [name, value] of [
    ['ssl', 'on'],
    ['ssl_ca_file', 'ca.crt'],
  ] as const) {
    await postgres.sql(`ALTER SYSTEM SET ${name} = '${value}'`)
  }
  await postgres.sql('SELECT pg_reload_conf()')
})
credentials.after(async () => void (await postgres?.stop()))

/** Gives the database a file that it alone may read. */
function place(name: string, text: string): void {
  const data = join(postgres.folder, 'data')
  const { uid, gid } = statSync(data)
  const path = join(data, name)
  writeFileSync(path, text)
  chownSync(path, uid, gid)
  chmodSync(path, 0o600)
}

/** What the database shows to whom connects from its next reload on. */
function show({ cert, key }: ServerCertificate): void {
  place('server.crt', cert)
  place('server.key', key)
}

/** Has the database read its files again, and ends every connection: those that follow may still find it as it was. */
const cut = () =>
  postgres.sql(`SELECT pg_reload_conf();
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'orch'`)

const start = (url: string): Promise<CustomServer> =>
  startCustom({ storage: { kind: 'postgres', url } })

const refusalOf = (url: string): Promise<string> => start(url).then(() => 'started', String)

const maps = '/api/v1/namespaces/default/configmaps'

/** What the server says of itself once its connections are cut and new ones are refused. */
async function unready({ ask }: CustomServer, why: RegExp): Promise<void> {
  await until(`it is not ready: ${why}`, async () => {
    await cut()
    return why.test((await ask('GET', '/readyz/etcd')).text)
  })
}

async function recovers({ ask }: CustomServer, name: string): Promise<void> {
  await until('it is ready', async () => (await ask('GET', '/readyz')).status === 200)
  assert.is((await ask('POST', maps, { metadata: { name } })).status, 201)
}

const verified = (schema: string, user = 'orch'): string =>
  `postgres://${user}@${address}/postgres?schema=${schema}&sslmode=verify-ca&sslrootcert=${root}`

test('a certificate of the database that is over keeps a server from starting, and one that runs from reading, until it is renewed', async () => {
  const server = await start(verified('shown'))
  const why = /certificate has expired: renew the certificate of the database/
  show(authority.issue(['orch'], { expired: true }))
  await unready(server, why)
  const [read, write] = await Promise.all([
    server.ask('GET', maps),
    server.ask('POST', maps, { metadata: { name: 'refused' } }),
  ])
  for (const { status, headers, json } of [read, write]) {
    assert.is(status, 503)
    assert.is(headers.get('retry-after'), '1')
    assert.match(json.message, why)
  }
  assert.match(await refusalOf(verified('shown')), why)
  show(authority.issue(['orch']))
  await postgres.sql('SELECT pg_reload_conf()')
  await recovers(server, 'renewed')
  await server.stop()
})

test('a certificate of the server that is over is renewed in its file', async () => {
  const write = ({ cert, key }: ServerCertificate): string => {
    file('client.key', key)
    return file('client.crt', cert)
  }
  const cert = write(authority.issue(['certified']))
  place(
    'pg_hba.conf',
    `local all all trust\nhostssl all certified all cert\nhost all all all trust\n`,
  )
  await postgres.sql('CREATE ROLE certified LOGIN SUPERUSER; SELECT pg_reload_conf()')
  const key = join(folder, 'client.key')
  const url = `${verified('certified', 'certified')}&sslcert=${cert}&sslkey=${key}`
  const server = await start(url)
  write(authority.issue(['certified'], { expired: true }))
  const why = /certificate expired.*: renew the certificate of sslcert/
  await unready(server, why)
  assert.match(await refusalOf(url), why)
  write(authority.issue(['certified']))
  await recovers(server, 'renewed')
  await server.stop()
})

test('a password that was changed is read from the file of --storage again', async () => {
  const settings = (password: string): string =>
    file(
      'database.conf',
      `host = ${postgres.folder}\nuser = keen\npassword = ${password}\ndbname = postgres\nschema = keen\n`,
    )
  place('pg_hba.conf', 'local all keen scram-sha-256\nlocal all all trust\n')
  await postgres.sql("CREATE ROLE keen LOGIN SUPERUSER PASSWORD 'first'; SELECT pg_reload_conf()")
  const server = await start(`postgres:${settings('first')}`)
  await postgres.sql("ALTER ROLE keen PASSWORD 'second'")
  await unready(server, /password authentication failed .*: correct the user or the password/)
  file('database.conf', 'password')
  await unready(server, /--storage line 1 of .*database.conf: must be NAME = VALUE/)
  settings('second')
  await recovers(server, 'read')
  await server.stop()
})

test('connections that the database does not give are waited for, in bounded time', async () => {
  place('pg_hba.conf', 'local all all trust\n')
  await postgres.sql(
    'CREATE ROLE few LOGIN; GRANT CREATE ON DATABASE postgres TO few; SELECT pg_reload_conf()',
  )
  const url = postgres.url('few', 'few')
  const server = await start(url)
  await postgres.sql('ALTER ROLE few CONNECTION LIMIT 0')
  const why = /too many connections for role "few": raise max_connections, or lower pool_size/
  await unready(server, why)
  assert.match(await refusalOf(url), why)
  await postgres.sql('ALTER ROLE few CONNECTION LIMIT 10')
  await recovers(server, 'given')
  await server.stop()
})

credentials.run()
