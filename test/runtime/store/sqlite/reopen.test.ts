import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { systemClock } from '../../../../runtime/kernel/async/clock.ts'
import { openSqliteStore } from '../../../../runtime/store/store.ts'
import { createWatchCache } from '../../../../runtime/watch/watch.ts'
import { tempDirectory } from '../../../support/temp.ts'
import { bytes, deadline, refused, take, tell } from '../contract.ts'

const reopen = suite('runtime/store: reopen')
const directory = tempDirectory()
const open = (name: string) =>
  openSqliteStore({ filename: join(directory, name), clock: systemClock })

reopen('a store goes on where it ended, under the same id', async () => {
  const first = await open('same.db')
  await first.create('/a', bytes('1'))
  await first.create('/b', bytes('1'))
  await first.close()
  const second = await open('same.db')
  assert.is(second.id, first.id)
  assert.is(await second.revision(), 2)
  await refused(second.create('/a', bytes('2')), 'AlreadyExists')
  const { revision, createRevision } = await second.update('/a', 1, bytes('2'))
  assert.equal([revision, createRevision], [3, 1])
  await second.close()
})

reopen('two stores have different ids', async () => {
  const [one, other] = [await open('one.db'), await open('other.db')]
  assert.is.not(one.id, other.id)
  await one.close()
  await other.close()
})

reopen(
  'a watch resumes from a revision before the restart, on the store and on the cache',
  async () => {
    const first = await open('resume.db')
    await first.create('/k/a', bytes('1'))
    await first.update('/k/a', 1, bytes('2'))
    await first.delete('/k/a', 2)
    await first.close()
    const store = await open('resume.db')
    const cache = await createWatchCache(store, { clock: systemClock })
    const expected = ['update /k/a 2 (1)', 'delete /k/a (2)', 'create /k/b 1']
    const fromStore = take(3, store.watch('/k/', 1, deadline()))
    const fromCache = take(3, cache.watch('/k/', 1, deadline()))
    await cache.create('/k/b', bytes('1'))
    assert.equal((await fromStore).map(tell), expected)
    assert.equal((await fromCache).map(tell), expected)
    await cache.close()
  },
)

reopen(
  'revisions never go back, even if the last thing before a compaction was a deletion',
  async () => {
    const first = await open('back.db')
    await first.create('/a', bytes('1'))
    await first.delete('/a', 1)
    await first.compact(2)
    await first.close()
    const second = await open('back.db')
    assert.is(await second.revision(), 2)
    assert.is(second.compactedRevision(), 2)
    assert.is((await second.create('/a', bytes('1'))).revision, 3)
    await refused(take(1, second.watch('/', 1, deadline())), 'Expired')
    await second.close()
  },
)

reopen('a file is for its owner only to read', async () => {
  const store = await open('private.db')
  assert.is((await stat(join(directory, 'private.db'))).mode & 0o777, 0o600)
  await store.close()
})

reopen('what is not a store is refused and left alone', async () => {
  const text = join(directory, 'text.db')
  await writeFile(
    text,
    'not a database, but long enough to be taken for one by its size'.repeat(100),
  )
  const error = await open('text.db').catch((error: unknown) => error)
  assert.match(String(error), `${text}: cannot be opened as a store: SQLITE_NOTADB`)
  const missing = await open('missing/store.db').catch((error: unknown) => error)
  assert.match(String(missing), 'its directory is not there')
})

const mountable = (() => {
  const [one, other] = ['mounted.db', 'mounted-again.db'].map((name) => join(directory, name))
  writeFileSync(one!, '')
  writeFileSync(other!, '')
  return spawnSync('mount', ['--bind', one!, other!]).status === 0
})()
reopen.after(() => void (mountable && spawnSync('umount', [join(directory, 'mounted-again.db')])))

const elsewhere = 'a file that is mounted at two places has one owner'
if (!mountable) console.log(`SKIP ${elsewhere}: no file can be mounted`)
else {
  reopen(elsewhere, async () => {
    const first = await open('mounted.db')
    await first.create('/a', bytes('1'))
    await open('mounted-again.db').then(
      () => assert.unreachable(),
      (error: Error) => {
        assert.match(error.message, 'another process owns this file')
      },
    )
    await first.create('/b', bytes('1'))
    await first.close()
    const again = await open('mounted.db')
    assert.is(await again.revision(), 2)
    await again.close()
  })
}

reopen.run()
