import { statSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { systemClock } from '../../../../runtime/kernel/async/clock.ts'
import { type LogStore, openSqliteStore, openStore } from '../../../../runtime/store/store.ts'
import { fakeClock } from '../../../support/clock.ts'
import { tempDirectory } from '../../../support/temp.ts'
import { until } from '../../../support/until.ts'

const retention = suite('runtime/store: retention')
const directory = tempDirectory()

/** Updates of one key a writer, until there were `times` of them. */
async function writeAtOnce(store: LogStore, writers: number, times: number, size: number) {
  let left = times
  const writer = async (at: number): Promise<void> => {
    let { revision } = await store.create(`/k/${at}`, new Uint8Array(size))
    while (left-- > 0) {
      revision = (await store.update(`/k/${at}`, revision, new Uint8Array(size))).revision
    }
  }
  await Promise.all(Array.from({ length: writers }, (_, at) => writer(at)))
}

async function running(store: LogStore, work: () => Promise<void>): Promise<void> {
  const stop = new AbortController()
  const run = store.run(stop.signal)
  await work()
  stop.abort()
  await run
}

retention('history is bounded in bytes, although no time passes', async () => {
  const clock = fakeClock()
  const filename = join(directory, 'bytes.db')
  const store = await openSqliteStore({ filename, clock, retainedBytes: 100_000 })
  await running(store, async () => {
    await writeAtOnce(store, 1, 1000, 1000)
    await until('the compaction', async () => store.compactedRevision() > 800)
  })
  assert.ok((await store.revision()) - store.compactedRevision() >= 50, 'some of it is kept')
  await store.close()
})

retention('the log of a store in memory does not grow with what is written', async () => {
  const store = await openStore({ kind: 'memory' }, { clock: systemClock })
  const first = await store.revision()
  await running(store, async () => {
    await writeAtOnce(store, 4, 400, 200_000)
    await until('the compaction', async () => store.compactedRevision() > first + 200)
  })
  await store.close()
})

const pace =
  'compaction keeps pace with two hundred writers: a file stays within twice of what lives'

retention(pace, async () => {
  const filename = join(directory, 'pace.db')
  const [writers, size] = [200, 100_000]
  const live = writers * size
  const store = await openSqliteStore({ filename, clock: systemClock, retainedBytes: live / 8 })
  let largest = 0
  const measuring = setInterval(() => {
    largest = Math.max(largest, statSync(filename).size)
  }, 5)
  await running(store, () => writeAtOnce(store, writers, 1200, size))
  clearInterval(measuring)
  await store.close()
  largest = Math.max(largest, statSync(filename).size)
  assert.ok(largest < 2 * live, `${largest} bytes, of which ${live} live`)
})

retention.run()
