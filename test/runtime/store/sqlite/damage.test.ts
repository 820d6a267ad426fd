import {
  closeSync,
  copyFileSync,
  existsSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { systemClock } from '../../../../runtime/kernel/async/clock.ts'
import { Connection } from '../../../../runtime/store/sqlite/connection.ts'
import {
  type LogStore,
  openSqliteStore,
  parseStoreLocation,
  storeKeeper,
  storeLocationProblem,
} from '../../../../runtime/store/store.ts'
import { createWatchCache } from '../../../../runtime/watch/watch.ts'
import { tempDirectory } from '../../../support/temp.ts'

const damage = suite('runtime/store: damage')
const directory = tempDirectory()
const path = (name: string): string => join(directory, name)
const openFile = (filename: string): Promise<LogStore> =>
  openSqliteStore({ filename, clock: systemClock })
const open = (name: string): Promise<LogStore> => openFile(path(name))

const someValue = (at: number): Uint8Array =>
  Buffer.from(JSON.stringify({ metadata: { name: `m${at}`, uid: `u${at}` }, data: 'x'.repeat(at) }))

/** A store of some hundred objects that were written, changed and partly deleted. */
async function makeStore(name: string): Promise<void> {
  const store = await open(name)
  for (let at = 0; at < 300; at++) await store.create(`/k/${at}`, someValue(at))
  for (let at = 0; at < 300; at += 2) await store.update(`/k/${at}`, at + 1, someValue(at + 1000))
  for (let at = 1; at < 300; at += 9) {
    const entry = await store.get(`/k/${at}`)
    await store.delete(`/k/${at}`, entry?.revision ?? 0)
  }
  await store.close()
}

/** What a server would send of a store: everything that lives, and the history. */
async function contents(name: string): Promise<readonly string[]> {
  const store = await open(name)
  try {
    const cache = await createWatchCache(store, { clock: systemClock })
    const now = await cache.list('/')
    const past = await store.list('/', { revision: 350 })
    return [...now.entries, ...past.entries].map(
      ({ key, revision, value }) => `${key} ${revision} ${Buffer.from(value).toString()}`,
    )
  } finally {
    await store.close()
  }
}

/** A longer run: `ORCH_DAMAGES=2000`. */
const rounds = Number(process.env.ORCH_DAMAGES ?? 30)

damage('a damaged file is refused, or gives what was written, and the doctor agrees', async () => {
  await makeStore('sound.db')
  const sound = await contents('sound.db')
  const bytes = readFileSync(path('sound.db'))
  const damages: ((file: Buffer) => Buffer)[] = [
    (file) => file.subarray(0, file.length / 2),
    (file) => file.subarray(0, file.length - 4096),
    (file) => file.fill(0, 4096, 8192),
  ]
  let seed = 7
  for (let round = 0; round < rounds; round++) {
    seed = (seed * 1103515245 + 12345) % 2 ** 31
    const at = seed % (bytes.length - 600)
    const from = (seed >>> 8) % (bytes.length - 600)
    if (round % 4 === 0) damages.push((file) => file.fill(0x20, at, at + 1))
    else if (round % 4 === 1) damages.push((file) => file.fill(0, at, at + 512))
    else if (round % 4 === 2)
      damages.push((file) => file.fill(file.subarray(from, from + 300), at, at + 300))
    else damages.push((file) => file.fill((file[at] ?? 0) ^ 4, at, at + 1))
  }
  let refused = 0
  for (const [at, change] of damages.entries()) {
    const name = `damaged-${at}.db`
    const changed = change(Buffer.from(bytes))
    writeFileSync(path(name), changed)
    const found = await contents(name).catch((error: Error) => error)
    if (found instanceof Error) refused++
    else assert.equal(found, sound, `damage ${at}`)
    writeFileSync(path(name), changed)
    const keeper = (await storeKeeper(parseStoreLocation(`sqlite:${path(name)}`)!))!
    const { count } = await keeper.examine({ clock: systemClock })
    assert.ok(count > 0 || !(found instanceof Error), `the doctor finds damage ${at}`)
    for (const suffix of ['', '-owner']) rmSync(path(`${name}${suffix}`), { force: true })
  }
  assert.ok(refused > 10, `${refused} of ${damages.length} damages are noticed`)
})

damage('a value that was changed where it lies is named, with the remedy', async () => {
  await makeStore('value.db')
  const database = await Connection.open(path('value.db'))
  await database.run('write', (query) =>
    query("UPDATE log SET value = x'7b7d' WHERE key = '/k/2' AND op = 1"),
  )
  await database.close()
  const store = await open('value.db')
  const list = await store.list('/').catch((error: unknown) => error)
  assert.match(String(list), 'the value of /k/2 at revision 302 is not what was written')
  assert.match(String(list), 'restore its file from a copy')
  assert.match(String(await store.get('/k/2').catch((error: unknown) => error)), 'damaged')
  assert.is((await store.get('/k/4'))?.revision, 303)
  await store.close()
})

damage('an object that is gone without a deletion is noticed at the start', async () => {
  await makeStore('lost.db')
  const database = await Connection.open(path('lost.db'))
  await database.run('write', (query) => query('DELETE FROM log WHERE rev = 302'))
  await database.close()
  const error = await open('lost.db').catch((thrown: unknown) => thrown)
  assert.match(String(error), '1 objects are not where they should be')
})

damage('of a large file it is noticed when it is read', async () => {
  truncateSync(path('lost.db'), 65 * 1024 * 1024)
  const store = await open('lost.db')
  const problem = (work: Promise<unknown>) => work.then(String, String)
  const expected = 'the value of /k/2 at revision 302 is gone'
  const page = { limit: 1000, bytes: 1e6 }
  assert.match(await problem(store.get('/k/2')), expected)
  assert.match(await problem(store.list('/k/2')), expected)
  assert.match(await problem(store.list('/', page)), expected)
  assert.match(await problem(store.list('/', { ...page, revision: 350 })), expected)
  assert.match(await problem(createWatchCache(store, { clock: systemClock })), expected)
  assert.is((await store.get('/k/4'))?.revision, 303)
  await store.close()
})

damage('a file of the first format is brought to this one, and its values are read', async () => {
  await makeStore('old.db')
  const database = await Connection.open(path('old.db'))
  await database.run('write', async (query) => {
    await query('ALTER TABLE log DROP COLUMN sum')
    await query("UPDATE meta SET value = '1' WHERE name = 'format'")
  })
  await database.close()
  assert.equal(await contents('old.db'), await contents('sound.db'))
})

/** Copies a store as a crash would leave it: what was written last stands in the log beside the file. */
async function crashedStore(name: string): Promise<Buffer> {
  await makeStore(`${name}-source`)
  const store = await open(`${name}-source`)
  for (let at = 0; at < 40; at++) await store.create(`/late/${at}`, someValue(at))
  for (const suffix of ['', '-wal'])
    copyFileSync(path(`${name}-source${suffix}`), path(`${name}${suffix}`))
  await store.close()
  return readFileSync(path(`${name}-wal`))
}

const pageBytes = 2048
const frameBytes = 24 + pageBytes

/** Where the frames of a log end that end a transaction. */
function commitEnds(log: Buffer): readonly number[] {
  const ends: number[] = []
  for (let at = 32; at + frameBytes <= log.length; at += frameBytes) {
    if (log.readUInt32BE(at + 4) !== 0) ends.push(at + frameBytes)
  }
  return ends
}

damage('a log that lost what was acknowledged is refused, and stays as it is', async () => {
  const log = await crashedStore('cut.db')
  const places = [8, 20, 32, 50, 100, Math.floor(log.length / 2), commitEnds(log).at(-4)! - 1000]
  for (const at of places) {
    const changed = Buffer.from(log)
    changed[at] = (changed[at] ?? 0) ^ 4
    writeFileSync(path('cut.db-wal'), changed)
    const location = parseStoreLocation(`sqlite:${path('cut.db')}`)!
    const keeper = (await storeKeeper(location))!
    for (const work of [
      () => open('cut.db'),
      () => keeper.dump({ clock: systemClock }),
      () => keeper.vacuum({ clock: systemClock }),
    ]) {
      const refusal = await work().then(() => 'none', String)
      assert.match(refusal, 'cut.db-wal is not what was written behind byte', `byte ${at}`)
      assert.match(refusal, 'restore its file from a copy')
    }
    for (const options of [{}, { repair: true }]) {
      const found = await keeper.examine({ clock: systemClock, ...options })
      assert.equal([found.count, found.repaired], [1, false])
      assert.match(found.findings[0]?.message ?? '', 'bytes of acknowledged writes cannot be read')
      assert.is(found.findings[0]?.remedy, 'accept loss')
    }
    assert.equal(readFileSync(path('cut.db-wal')), changed)
  }
})

damage('once that loss is accepted the store goes on, and gives no revision twice', async () => {
  const log = await crashedStore('accepted.db')
  const ends = commitEnds(log)
  const half = ends[Math.floor(ends.length / 2)]!
  writeFileSync(path('accepted.db-wal'), log.fill(0x20, half + 30, half + 330))
  const location = parseStoreLocation(`sqlite:${path('accepted.db')}`)!
  const keeper = (await storeKeeper(location))!
  const options = { clock: systemClock, repair: true, acceptLoss: true }
  assert.ok((await keeper.examine(options)).repaired)
  assert.is((await keeper.examine({ clock: systemClock })).count, 0)
  const store = await open('accepted.db')
  const late = (await store.list('/late/')).entries
  assert.ok(late.length > 0 && late.length < 40, `${late.length} of 40`)
  assert.ok((await store.create('/next', someValue(1))).revision > 600)
  await store.close()
})

damage('a log whose last transaction is half written is read up to it', async () => {
  const log = await crashedStore('whole.db')
  const [before, last] = commitEnds(log).slice(-2) as [number, number]
  for (let at = before; at < last; at += frameBytes) {
    const cut = log.subarray(0, at + 100)
    const holed = Buffer.from(log).fill(0x5a, at + 512, at + 1024)
    for (const torn of [cut, holed]) {
      copyFileSync(path('whole.db'), path('torn.db'))
      writeFileSync(path('torn.db-wal'), torn)
      const store = await open('torn.db')
      assert.is((await store.list('/late/')).entries.length, 39)
      await store.close()
    }
  }
})

damage('a table that says nothing of its store is told at the start, and mended', async () => {
  await makeStore('silent.db')
  const sound = await contents('silent.db')
  const database = await Connection.open(path('silent.db'))
  await database.run('write', (query) => query('DELETE FROM meta'))
  await database.close()
  const refusal = await open('silent.db').catch(String)
  assert.match(
    String(refusal),
    'silent.db: its table meta is not whole: orch store doctor --repair',
  )
  const keeper = (await storeKeeper(parseStoreLocation(`sqlite:${path('silent.db')}`)!))!
  const first = await keeper.examine({ clock: systemClock })
  assert.equal([...new Set(first.findings.map(({ code }) => code))], ['tables', 'state'])
  assert.ok((await keeper.examine({ clock: systemClock, repair: true })).repaired)
  const again = await keeper.examine({ clock: systemClock })
  assert.is(again.count, 0)
  assert.match(again.state?.id ?? '', /^[0-9a-f]{32}$/)
  const store = await open('silent.db')
  const texts = (await store.list('/')).entries.map(({ key, value }) => `${key} ${value}`)
  assert.equal(
    texts.every((text, at) => sound[at]?.startsWith(text.split(' ')[0]!)),
    true,
  )
  await store.close()
})

damage('a store that was emptied is refused, and says what to do', async () => {
  await makeStore('emptied.db')
  truncateSync(path('emptied.db'), 0)
  const location = { kind: 'sqlite', file: path('emptied.db') } as const
  for (const found of [storeLocationProblem(location), await open('emptied.db').catch(String)]) {
    assert.match(String(found), 'is empty, but was a store before: restore it from a copy')
  }
  writeFileSync(path('new.db'), '')
  await (await open('new.db')).close()
})

damage('a start that fails leaves nothing behind', async () => {
  writeFileSync(path('text.db'), 'no database, but of some length'.repeat(100))
  const before = readdirSync(directory)
  await open('text.db').catch(() => {})
  assert.equal(readdirSync(directory), before)
})

damage('a file has one owner, whatever it is called', async () => {
  const owner = await open('owned.db')
  const refusedWith = async (name: string, text: string): Promise<void> => {
    const thrown = await open(name).catch((error: unknown) => error)
    assert.match(String(thrown), text)
  }
  symlinkSync(path('owned.db'), path('linked.db'))
  symlinkSync(directory, path('folder'))
  await refusedWith('owned.db', 'another process owns this file')
  await refusedWith('linked.db', 'another process owns this file')
  await refusedWith('folder/owned.db', 'another process owns this file')
  await refusedWith(`../${basename(directory)}/owned.db`, 'another process owns')
  const handle = openSync(path('owned.db'), 'r')
  for (const folder of ['/proc/self/fd', '/dev/fd'].filter((one) => existsSync(one))) {
    const thrown = await openFile(`${folder}/${handle}`).catch((error: unknown) => error)
    assert.match(String(thrown), 'another process owns this file')
  }
  closeSync(handle)
  linkSync(path('owned.db'), path('hard.db'))
  await refusedWith('hard.db', 'the file has 2 names (hard links)')
  assert.not.ok(existsSync(path('hard.db-owner')))
  await owner.create('/a', someValue(1))
  await owner.close()
})

damage.run()
