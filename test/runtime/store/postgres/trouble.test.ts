import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, readFileSync, statSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { systemClock } from '../../../../runtime/kernel/async/clock.ts'
import {
  type LogStore,
  openStore,
  StoreError,
  type StoreOptions,
} from '../../../../runtime/store/store.ts'
import {
  noPostgres,
  type Postgres,
  postgresPrograms,
  startPostgres,
} from '../../../support/postgres.ts'
import { tempDirectory } from '../../../support/temp.ts'
import { until } from '../../../support/until.ts'
import { bytes, deadline, refused, text } from '../contract.ts'

const trouble = suite('runtime/store: a database in trouble')

const test: typeof trouble =
  postgresPrograms === undefined
    ? (((name: string) => console.log(`SKIP ${name}: ${noPostgres}`)) as never)
    : trouble

let postgres: Postgres
trouble.before(async () => {
  if (postgresPrograms !== undefined) postgres = await startPostgres({ passwords: ['locked'] })
})

let made = 0
const freshSchema = () => `trouble_${++made}`
const open = (url: string, options: Partial<StoreOptions> = {}) =>
  openStore({ kind: 'postgres', url }, { clock: systemClock, ...options })

/** Why a store cannot be opened. */
const refusalOf = async (url: string): Promise<string> =>
  open(url).then(
    () => assert.unreachable('it was opened'),
    (error: unknown) => String(error),
  ) as Promise<string>

/** Every row of the log as `revision key value`. */
async function logOf(store: LogStore): Promise<readonly string[]> {
  const end = await store.revision()
  const lines: string[] = []
  for await (const batch of store.changes(0, deadline())) {
    for (const { revision, key, value } of batch) lines.push(`${revision} ${key} ${text(value)}`)
    if ((batch.at(-1)?.revision ?? 0) >= end) return lines
  }
  throw new Error('the log ended')
}

/** Writes one key again and again until it is told to stop; gives what was acknowledged. A conflict would be a write that landed twice. */
async function keepWriting(store: LogStore, key: string, stop: AbortSignal): Promise<string[]> {
  const acknowledged: string[] = []
  for (let round = 0; !stop.aborted; round++) {
    let known = await untilRead(store, key)
    for (; !stop.aborted; round++) {
      const value = bytes(`${round}`)
      const op = known === 0 ? 'create' : 'update'
      try {
        const { revision } = await store.append({ op, key, expected: known, value })
        acknowledged.push(`${revision} ${key} ${round}`)
        known = revision
      } catch (error) {
        if (!(error instanceof StoreError)) throw error
        assert.ok(['Unavailable', 'Unknown'].includes(error.reason), error.message)
        break
      }
    }
  }
  return acknowledged
}

async function untilRead(store: LogStore, key: string): Promise<number> {
  return until(`${key} is read`, async () => ({
    revision: (await store.get(key))?.revision ?? 0,
  })).then(({ revision }) => revision)
}

/** Writers over one store while something happens; then the log is compared with what was acknowledged. */
async function writeDuring(store: LogStore, what: () => Promise<void>): Promise<void> {
  const stop = new AbortController()
  const writers = Array.from({ length: 16 }, (_, index) =>
    keepWriting(store, `/k/${index}`, stop.signal),
  )
  const before = await store.revision()
  await what()
  await until('it writes again', async () => (await store.revision()) > before + 200)
  stop.abort()
  const acknowledged = (await Promise.all(writers)).flat()
  const log = await logOf(store)
  assert.equal(
    log.map((line) => Number(line.split(' ', 1)[0])),
    log.map((_, index) => index + 1),
  )
  const stored = new Set(log)
  assert.equal(
    acknowledged.filter((line) => !stored.has(line)),
    [],
  )
  assert.ok(acknowledged.length > 200)
}

test('connections that are cut while it writes cost no acknowledged write, and none lands twice', async () => {
  const store = await open(postgres.url(freshSchema()))
  await writeDuring(store, async () => {
    for (let round = 0; round < 12; round++) {
      const revision = await until('it writes', () => store.revision().catch(() => undefined))
      await postgres.sql(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'orch'`,
      )
      await until('it goes on', async () => (await store.revision()) > revision)
    }
  })
  await store.check()
  await store.close()
})

test('a database that crashes and comes back costs no acknowledged write', async () => {
  const said: string[] = []
  const store = await open(postgres.url(freshSchema()), {
    onAway: (why) => said.push(`away: ${why}`),
    onBack: (what) => said.push(`back: ${what}`),
  })
  await writeDuring(store, async () => {
    for (let round = 0; round < 2; round++) {
      await postgres.stop('immediate')
      await postgres.start()
    }
  })
  await until('it is well', () => store.check().then(() => true))
  assert.match(said.join('\n'), /away: the database at \S+ is away: /)
  assert.match(said.join('\n'), /back: the database at \S+ is back/)
  await store.close()
})

test('while the database is away everything is refused in bounded time with the reason, and all is well again by itself', async () => {
  const store = await open(postgres.url(freshSchema()))
  await store.create('/a', bytes('1'))
  const seen: string[] = []
  const watching = (async () => {
    for await (const batch of store.watch('', 0, deadline())) {
      seen.push(...batch.map(({ key }) => key))
      if (seen.includes('/b')) return
    }
  })()
  await postgres.stop()
  const away = /the database at \S+ cannot be used now: .*: start the database/
  assert.match((await refused(store.get('/a'), 'Unavailable')).message, away)
  assert.match((await refused(store.list('/'), 'Unavailable')).message, away)
  assert.match((await refused(store.revision(), 'Unavailable')).message, away)
  await refused(store.check(), 'Unavailable')
  assert.match((await refused(store.create('/b', bytes('1')), 'Unavailable')).message, away)
  await postgres.start()
  await until('it is read', () => store.get('/a'))
  await store.create('/b', bytes('1'))
  await watching
  assert.equal(seen, ['/a', '/b'])
  await until('it is well', () => store.check().then(() => true))
  await store.close()
})

/** A way to the database whose connections can be made to bring no answers any more. */
async function stallingProxy(): Promise<{ url: string; stall(): void; close(): void }> {
  const { searchParams } = new URL(postgres.url('stalled'))
  const connections: { readonly client: Socket; readonly database: Socket }[] = []
  const server = createServer((client) => {
    const database = connect(join(searchParams.get('host') ?? '', '.s.PGSQL.5432'))
    client.pipe(database).pipe(client)
    for (const socket of [client, database]) socket.on('error', () => {})
    connections.push({ client, database })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `postgres://orch@127.0.0.1:${port}/postgres?schema=stalled&statement_timeout=1000`,
    stall() {
      for (const { client, database } of connections) database.unpipe(client).resume()
    },
    close: () => void server.close(),
  }
}

test('a connection that falls silent is given up, and what was sent over it is found where it landed', async () => {
  const proxy = await stallingProxy()
  const store = await open(proxy.url)
  const { revision } = await store.create('/a', bytes('1'))
  proxy.stall()
  const [updated, read] = await Promise.all([
    store.update('/a', revision, bytes('2')),
    until('it is read', () => store.get('/a')),
  ])
  assert.is(updated.revision, 2)
  assert.ok(read)
  assert.equal(await logOf(store), ['1 /a 1', '2 /a 2'])
  await until('it is well', () => store.check().then(() => true))
  await store.close()
  proxy.close()
})

const writer = fileURLToPath(new URL('../../../support/store-writer.js', import.meta.url))

/** Starts a writer, kills it once it has printed `count` acknowledgements; gives what it printed. */
async function writeAndKill(url: string, name: string, count: number): Promise<string[]> {
  const child = spawn(process.execPath, [writer, url, name], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exit = once(child, 'exit')
  let output = ''
  for await (const chunk of child.stdout) {
    output += chunk
    if (output.split('\n').length > count) child.kill('SIGKILL')
  }
  await exit
  return output.split('\n').slice(0, -1)
}

test('what servers acknowledged that were killed is there, and those that are left go on', async () => {
  const url = postgres.url(freshSchema())
  const store = await open(url)
  const written = await Promise.all(
    [0, 1, 2, 3].map((index) => writeAndKill(url, `${index}`, 100 + index * 60)),
  )
  await store.create('/alive', bytes('1'))
  const log = new Set(await logOf(store))
  const lost = written.flat().filter((line) => {
    const [revision, , key, value] = line.split(' ')
    return !log.has(`${revision} ${key} ${value === '-' ? undefined : value}`)
  })
  assert.equal(lost, [])
  await store.close()
})

test('a notification that is not delivered is made up for', async () => {
  const url = postgres.url(freshSchema())
  const [one, other] = await Promise.all([open(url), open(url)])
  const schema = new URL(url).searchParams.get('schema')
  // Without the function's notification only the look that it takes every second finds the change.
  await postgres.sql(
    `CREATE FUNCTION ${schema}.pg_notify(text, text) RETURNS void LANGUAGE sql AS 'SELECT';
     ALTER FUNCTION ${schema}.commit_batch SET search_path = ${schema}, pg_catalog`,
  )
  const seen = (async () => {
    for await (const [change] of one.changes(0, deadline())) return change?.key
    return undefined
  })()
  await other.create('/quiet', bytes('1'))
  assert.is(await seen, '/quiet')
  await Promise.all([one.close(), other.close()])
})

test('a user that may only read sees everything, and is told why it may not write', async () => {
  const schema = freshSchema()
  const owner = await open(postgres.url(schema))
  await owner.create('/a', bytes('1'))
  await postgres.sql(`CREATE ROLE reader LOGIN; ALTER ROLE reader SET default_transaction_read_only = on;
    GRANT USAGE ON SCHEMA ${schema} TO reader; GRANT ALL ON ALL TABLES IN SCHEMA ${schema} TO reader`)
  const store = await open(postgres.url(schema, 'reader'))
  assert.is(text((await store.get('/a'))?.value), '1')
  await store.check()
  const { message } = await refused(store.create('/b', bytes('1')), 'Unavailable')
  assert.match(
    message,
    /cannot write: cannot execute .* in a read-only transaction: it is a standby, or default_transaction_read_only is on/,
  )
  await refused(store.check(), 'Unavailable')
  await postgres.sql('ALTER ROLE reader RESET default_transaction_read_only')
  await postgres.sql(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'",
  )
  await until('it writes', () => store.create('/b', bytes('1')))
  await until('it is well', () => store.check().then(() => true))
  await owner.close()
  await store.close()
})

test('a store that cannot be opened says why and what to do', async () => {
  const { sql, url } = postgres
  await sql("CREATE ROLE locked LOGIN PASSWORD 'right'")
  await sql('CREATE ROLE nobody_much LOGIN')
  await sql("CREATE DATABASE old ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
  const wrong = `${url('a', 'locked')}&password=wrong`
  assert.match(
    await refusalOf(wrong),
    /password authentication failed for user "locked": correct the user or the password/,
  )
  assert.match(
    await refusalOf(url('a', 'stranger')),
    /role "stranger" does not exist: allow this user/,
  )
  assert.match(
    await refusalOf(url('a', 'nobody_much')),
    /permission denied for database postgres: give the user this right/,
  )
  assert.match(
    await refusalOf(url('a').replace('/postgres?', '/none?')),
    /database "none" does not exist: make it with createdb/,
  )
  assert.match(
    await refusalOf(url('a').replace('/postgres?', '/old?')),
    /has the encoding LATIN1: make one with createdb --encoding=UTF8/,
  )
  assert.match(
    await refusalOf('postgres:///a?host=/nowhere'),
    /ENOENT.*: start the database, or correct the folder of its socket/,
  )
  assert.match(
    await refusalOf('postgres://127.0.0.1:1/a'),
    /ECONNREFUSED.*: start the database, or correct its address/,
  )
})

test('a store of a later format is refused', async () => {
  const schema = freshSchema()
  await (await open(postgres.url(schema))).close()
  await postgres.sql(
    `INSERT INTO ${schema}.migrations (name, batch, migration_time) VALUES ('9-later', 2, now())`,
  )
  assert.match(
    await refusalOf(postgres.url(schema)),
    /has a later format \(9-later\) than this program knows \(1-log\): start a later program/,
  )
})

test('where a table or the function of a store is gone, the doctor is named', async () => {
  for (const what of ['TABLE head', 'TABLE log', 'TABLE cur', 'FUNCTION commit_batch']) {
    const schema = freshSchema()
    await (await open(postgres.url(schema))).close()
    await postgres.sql(`DROP ${what.replace(' ', ` ${schema}.`)}`)
    const opened = await open(postgres.url(schema)).catch((error: Error) => error)
    const error =
      opened instanceof Error
        ? opened
        : await refused(opened.create('/a', bytes('a')), 'CannotWrite')
    assert.match(error.message, /does not exist: see what orch store doctor says/)
    if (!(opened instanceof Error)) await opened.close()
  }
})

test('a database that went back, or became another one, ends the store instead of a guess', async () => {
  const changes: readonly (readonly [sql: string, why: RegExp])[] = [
    ['UPDATE head SET store = gen_random_uuid()', /has another store than before/],
    [
      'UPDATE head SET rev = 1; DELETE FROM log WHERE rev = 2',
      /went back: it does not have what it had at revision 2, and is at 1/,
    ],
    [
      "UPDATE log SET key = '/other' WHERE rev = 2",
      /went back: it does not have what it had at revision 2/,
    ],
  ]
  for (const [sql, why] of changes) {
    const schema = freshSchema()
    const store = await open(postgres.url(schema))
    const running = store.run(deadline()).then(() => '', String)
    await store.create('/a', bytes('1'))
    await store.create('/b', bytes('1'))
    await postgres.sql(`SET search_path = ${schema}; ${sql}`)
    assert.match(await running, why)
    assert.match(await store.get('/a').then(() => '', String), why)
    await store.close()
  }
})

test('a value that is not as it was written is refused, not read', async () => {
  const schema = freshSchema()
  const store = await open(postgres.url(schema))
  await store.create('/a', bytes('right'))
  await postgres.sql(`UPDATE ${schema}.log SET value = 'wrong'`)
  assert.match(
    await store.get('/a').then(() => '', String),
    /damaged: the value of \/a at revision 1/,
  )
  await store.close()
})

const directory = tempDirectory()
const mounted =
  postgresPrograms !== undefined &&
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', directory]).status === 0
trouble.after(() => void (mounted && spawnSync('umount', ['-l', directory])))

const testOnDisk: typeof trouble = mounted
  ? trouble
  : (((name: string) => console.log(`SKIP ${name}: no disk can be mounted`)) as never)

testOnDisk(
  'a full disk refuses writes and says why; reads go on, and writes once there is space',
  async () => {
    const users = readFileSync('/etc/passwd', 'utf8').split('\n')
    const [, , uid = '0', gid = '0'] = (
      users.find((line) => line.startsWith('postgres:')) ?? ''
    ).split(':')
    chmodSync(directory, 0o755)
    if (statSync(directory).uid !== Number(uid)) chownSync(directory, Number(uid), Number(gid))
    spawnSync('chmod', ['755', directory])
    const schema = freshSchema()
    await postgres.sql(`CREATE TABLESPACE small LOCATION '${directory}'`)
    await postgres.sql('CREATE DATABASE filled TABLESPACE pg_default')
    await postgres.sql('ALTER DATABASE filled SET default_tablespace = small')
    const store = await open(postgres.url(schema).replace('/postgres?', '/filled?'))
    const noise = () => Buffer.from(Array.from({ length: 300_000 }, () => Math.random() * 256))
    let index = 0
    let refusal: StoreError | undefined
    while (refusal === undefined) {
      index += 1
      refusal = await store.create(`/${index}`, noise()).then(
        () => undefined,
        (error: StoreError) => error,
      )
    }
    assert.is(refusal.reason, 'Unavailable')
    assert.match(refusal.message, /No space left on device.*: free some space on its disk/)
    await refused(store.check(), 'Unavailable')
    assert.is((await store.get('/1'))?.value.length, 300_000)
    spawnSync('mount', ['-o', 'remount,size=16m', directory])
    await until('it is well', () => store.check().then(() => true))
    await store.create('/more', noise())
    await store.close()
  },
)

trouble.run()
