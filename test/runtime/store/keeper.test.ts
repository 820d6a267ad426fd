/** Stores that are moved, backed up and restored, over every kind of database. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import {
  type BoundKeeper,
  type Change,
  type LogStore,
  openStore,
  parseStoreLocation,
  readArchive,
  type StoreError,
  type StoreLocation,
  storeKeeper,
  writeArchive,
} from '../../../runtime/store/store.ts'
import { noPostgres, postgresPrograms, sharedPostgres } from '../../support/postgres.ts'
import { tempDirectory } from '../../support/temp.ts'
import { bytes, deadline, text } from './contract.ts'

const moving = suite('runtime/store: moving and keeping')
const directory = tempDirectory()
const clock = systemClock
const made = '2026-01-01T00:00:00.000Z'
let count = 0

const places: Readonly<Record<string, () => Promise<StoreLocation>>> = {
  sqlite: async () => at(`sqlite:${join(directory, `${++count}.db`)}`),
  postgres: async () => at((await sharedPostgres()).url(`kept_${++count}`)),
}
const kinds = postgresPrograms === undefined ? ['sqlite'] : ['sqlite', 'postgres']
if (postgresPrograms === undefined) console.log(`SKIP moves to PostgreSQL: ${noPostgres}`)
const place = (kind: string): Promise<StoreLocation> => places[kind]!()

function at(text: string): StoreLocation {
  return parseStoreLocation(text)!
}

const keeperOf = async (location: StoreLocation): Promise<BoundKeeper> =>
  (await storeKeeper(location))!

/** A store with creates, updates, deletes, values that are no text, and a part that is compacted. */
async function fill(location: StoreLocation): Promise<void> {
  const store = await openStore(location, { clock })
  const revisions = new Map<number, number>()
  for (let index = 0; index < 60; index++) {
    const value = index % 7 === 0 ? Buffer.from([0xff, 0x00, index]) : bytes(`{"at":${index}}`)
    revisions.set(index, (await store.create(`/k/${index}`, value)).revision)
  }
  for (let index = 0; index < 60; index += 3) {
    const { revision } = await store.update(`/k/${index}`, revisions.get(index)!, bytes('later'))
    revisions.set(index, revision)
  }
  await store.compact(70)
  for (let index = 0; index < 60; index += 4)
    await store.delete(`/k/${index}`, revisions.get(index)!)
  await store.close()
}

/** Everything that a server can learn of a store. */
async function contents(location: StoreLocation) {
  const store = await openStore(location, { clock })
  try {
    const revision = await store.revision()
    const { entries } = await store.list('/')
    const past = await store.list('/', { revision: store.compactedRevision() })
    const changes = await changesOf(store, store.compactedRevision(), revision)
    return { id: store.id.replaceAll('-', ''), revision, entries, past: past.entries, changes }
  } finally {
    await store.close()
  }
}

async function changesOf(store: LogStore, after: number, revision: number): Promise<Change[]> {
  const seen: Change[] = []
  if (after === revision) return seen
  for await (const batch of store.changes(after, deadline())) {
    const plain = batch.map(({ revision, key, previousRevision, createRevision, value }) => {
      return { revision, key, previousRevision, createRevision, value: value && Buffer.from(value) }
    })
    seen.push(...plain)
    if (seen.at(-1)!.revision >= revision) return seen
  }
  throw new Error('the log ended')
}

async function archiveOf(location: StoreLocation): Promise<Buffer> {
  const dump = await (await keeperOf(location)).dump({ clock })
  const chunks: Buffer[] = []
  for await (const chunk of writeArchive(dump, made)) chunks.push(chunk)
  await dump.close()
  return Buffer.concat(chunks)
}

/** Bytes as they come over a slow line. */
async function* pieces(whole: Buffer, length: number): AsyncGenerator<Buffer> {
  for (let from = 0; from < whole.length; from += length) yield whole.subarray(from, from + length)
}

const load = async (location: StoreLocation, archive: Buffer, options = {}, length = 1000) =>
  (await keeperOf(location)).load(await readArchive('it', pieces(archive, length)), {
    clock,
    ...options,
  })

const failure = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'no error',
    (error: Error) => error.message,
  )

for (const from of kinds) {
  for (const to of kinds) {
    moving(`a store of ${from} goes to ${to} with id, revisions and history`, async () => {
      const [first, second] = [await place(from), await place(to)]
      await fill(first)
      const before = await contents(first)
      const dump = await (await keeperOf(first)).dump({ clock, alone: true })
      const loaded = await (await keeperOf(second)).load(dump, { clock })
      await dump.close()
      assert.is(loaded.objects, before.entries.length)
      assert.equal(await contents(second), before)
      assert.is((await (await keeperOf(second)).examine({ clock })).count, 0)
      const store = await openStore(second, { clock })
      assert.is((await store.create('/new', bytes('1'))).revision, before.revision + 1)
      await store.close()
    })
  }
}

for (const kind of kinds) {
  moving(`an archive of ${kind} that is cut short or changed anywhere is refused`, async () => {
    const source = await place(kind)
    await fill(source)
    const whole = await archiveOf(source)
    const target = await place(kind)
    for (const length of [0, 1, 60, 158, 170, 500, whole.length >> 1, whole.length - 1]) {
      const text = await failure(load(target, whole.subarray(0, length)))
      assert.match(text, /ends early|is no archive/, `${length}`)
    }
    for (let at = 0; at < whole.length; at += kind === 'sqlite' ? 97 : 491) {
      const changed = Buffer.from(whole)
      changed[at]! ^= 1
      assert.is.not(await failure(load(target, changed)), 'no error', `${at}`)
    }
    assert.match(
      await failure(load(target, Buffer.concat([whole, whole]))),
      'goes on behind its end',
    )
    assert.match(await failure((await keeperOf(target)).dump({ clock })), 'no such store')
    if (target.kind === 'sqlite') {
      const names = readdirSync(directory).filter((name) => name.includes(target.file.slice(-5)))
      assert.equal(names, [])
    }
    await load(target, whole, {}, 1)
    assert.equal(await contents(target), await contents(source))
  })

  moving(`what ${kind} holds is replaced only on request, and not under a server`, async () => {
    const [source, target] = [await place(kind), await place(kind)]
    await fill(source)
    const archive = await archiveOf(source)
    const store = await openStore(target, { clock })
    await store.create('/mine', bytes('1'))
    for (const options of [{}, { replace: true }]) {
      assert.match(
        await failure(load(target, archive, options)),
        /owns this file|servers have this store open/,
      )
    }
    const keeper = await keeperOf(target)
    assert.match(
      await failure(keeper.examine({ clock })),
      /owns this file|servers have this store open/,
    )
    assert.match(await failure(keeper.dump({ clock, alone: true })), /owns this file|servers have/)
    await store.close()
    assert.match(await failure(load(target, archive)), 'holds a store')
    const { former } = await load(target, archive, { replace: true })
    assert.equal(await contents(target), await contents(source))
    if (target.kind === 'postgres') return
    assert.ok(existsSync(former!))
    const kept = await openStore(at(`sqlite:${former}`), { clock })
    assert.ok(await kept.get('/mine'))
    await kept.close()
  })

  moving(
    `a restore in ${kind} gives no revision twice, and watches of before are told`,
    async () => {
      const target = await place(kind)
      await fill(target)
      const archive = await archiveOf(target)
      const before = await contents(target)
      const store = await openStore(target, { clock })
      const { revision: lost } = await store.create('/lost', bytes('1'))
      await store.close()
      await load(target, archive, { replace: true, skippedRevisions: 1000 })
      const restored = await openStore(target, { clock })
      assert.equal((await restored.list('/')).entries, before.entries)
      for (const after of [0, before.revision, lost]) {
        const watch = restored.watch('/', after, deadline())[Symbol.asyncIterator]()
        const error = await watch.next().catch((thrown: unknown) => thrown)
        assert.is((error as StoreError).reason, 'Expired')
      }
      assert.is((await restored.create('/next', bytes('1'))).revision, before.revision + 1001)
      await restored.compact(await restored.revision())
      await restored.close()
      assert.is((await (await keeperOf(target)).examine({ clock })).count, 0)
    },
  )

  moving(`a dump of ${kind} is of one moment, whatever is written and compacted`, async () => {
    const source = await place(kind)
    await fill(source)
    const before = await contents(source)
    const store = await openStore(source, { clock })
    const dump = await (await keeperOf(source)).dump({ clock })
    for (const { key, revision } of before.entries)
      await store.update(key, revision, bytes('newer'))
    await store.compact(await store.revision())
    const target = await place(kind)
    await (await keeperOf(target)).load(dump, { clock })
    await dump.close()
    assert.equal(await contents(target), before)
    await store.compact(await store.revision())
    await store.close()
    assert.is((await (await keeperOf(source)).examine({ clock })).count, 0)
  })
}

moving('an archive of a later format is refused', async () => {
  const header =
    '{"format":"orch-store","version":2,"cluster":"c","revision":1,"compacted":0,"trimmed":0}\n'
  const text = await failure(readArchive('it', pieces(Buffer.from(header), 9)))
  assert.match(text, 'has format 2, this program reads up to 1')
})

moving('a server that takes its leave of its file leaves no socket behind', async () => {
  const location = await place('sqlite')
  await fill(location)
  const file = (location as { readonly file: string }).file
  const store = await openStore(location, { clock })
  assert.ok(existsSync(`${file}-socket`))
  await store.close()
  assert.not.ok(existsSync(`${file}-socket`))
})

if (postgresPrograms !== undefined) {
  moving('a schema of PostgreSQL may be called by a word of SQL', async () => {
    const postgres = await sharedPostgres()
    const [user, both] = [at(postgres.url('user')), at(postgres.url('both'))]
    await fill(user)
    const dump = await (await keeperOf(user)).dump({ clock, alone: true })
    await (await keeperOf(both)).load(dump, { clock })
    await dump.close()
    assert.is((await (await keeperOf(both)).examine({ clock })).count, 0)
    const store = await openStore(both, { clock })
    assert.equal(text((await store.get('/k/3'))?.value), 'later')
    await store.close()
  })
}

moving.run()
