/** Fan-out: from one write to a thousand readers, beside the same number of bare promise hand-overs. */
import { systemClock } from '../../runtime/kernel/async/clock.ts'
import { openSqliteStore } from '../../runtime/store/store.ts'
import { createWatchCache, type WatchCache } from '../../runtime/watch/watch.ts'
import type { Report } from './report.ts'
import { median } from './servers.ts'

/** Readers of one collection: what a cluster with as many nodes has. */
const watchers = 1000
/** Rounds whose medians count. */
const rounds = 50

/** One event to many watchers, beside a bare server that writes the same bytes to as many sockets. */
export async function bench(report: Report): Promise<void> {
  const alone = await measure(0, 1)
  const limit = { name: 'bare promises', value: await bareHandOver() }
  const one = await measure(watchers, 1)
  const burst = await measure(watchers, 8)
  report(`one event, last of ${watchers} watchers has it`, one.delivered, 'ms', limit)
  report('8 events at once, per event', burst.delivered / 8, 'ms', limit)
  report(`deliveries to ${watchers} watchers`, (watchers / one.delivered) * 1000, 'per s')
  const answer = { name: 'the same with no watcher', value: alone.answered }
  report(`answer to the writer, ${watchers} watchers`, one.answered, 'ms', answer)
}

/** Milliseconds from a write to its answer, and from the answer to the last watcher. */
interface Times {
  readonly answered: number
  readonly delivered: number
}

/** The cache alone, without a server: so many watchers, so many events at once. */
async function measure(count: number, events: number): Promise<Times> {
  const store = await openSqliteStore({ filename: ':memory:', clock: systemClock })
  const cache = await createWatchCache(store, { clock: systemClock })
  const stop = new AbortController()
  let left = 0
  let delivered = () => {}
  const read = async () => {
    for await (const batch of cache.watch('/core/pods/', 0, stop.signal)) {
      left -= batch.length
      if (left === 0) delivered()
    }
  }
  const readers = Array.from({ length: count }, read)
  const times: Times[] = []
  for (let round = 0; round < rounds; round++) {
    const done = new Promise<void>((resolve) => {
      left = count * events
      delivered = resolve
    })
    times.push(await oneRound(cache, round, events, count > 0 ? done : Promise.resolve()))
  }
  stop.abort()
  await Promise.all(readers)
  await cache.close()
  return {
    answered: median(times.map((it) => it.answered)),
    delivered: median(times.map((it) => it.delivered)),
  }
}

/** Delivery is timed from the answer: what comes before is the store's. */
async function oneRound(
  cache: WatchCache,
  round: number,
  events: number,
  done: Promise<void>,
): Promise<Times> {
  const value = Buffer.alloc(2048, 'x')
  const start = performance.now()
  const keys = Array.from({ length: events }, (_, index) => `/core/pods/default/${round}-${index}`)
  await Promise.all(keys.map((key) => cache.create(key, value)))
  const answered = performance.now()
  await done
  return { answered: answered - start, delivered: performance.now() - answered }
}

/** Milliseconds until as many waiting readers as there are watchers have gone on. */
async function bareHandOver(): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const resolvers: (() => void)[] = []
    const readers = Array.from(
      { length: watchers },
      () => new Promise<void>((resolve) => resolvers.push(resolve)),
    )
    const start = performance.now()
    for (const resolve of resolvers) resolve()
    await Promise.all(readers)
    times.push(performance.now() - start)
  }
  return median(times)
}
