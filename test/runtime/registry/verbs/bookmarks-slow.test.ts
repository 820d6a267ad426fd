import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { systemClock } from '../../../../runtime/kernel/async/clock.ts'
import { withBookmarks } from '../../../../runtime/registry/verbs/bookmarks.ts'

const test = suite('runtime/registry: bookmarks for a slow reader')

test('a watch that fails while its reader is busy fails when the reader comes, and nothing else', async () => {
  const unhandled: unknown[] = []
  const note = (error: unknown) => void unhandled.push(error)
  process.on('unhandledRejection', note)
  const failure = new Error('the watch fell too far behind')
  const event = { revision: 1 } as never
  let reads = 0
  const changes = {
    [Symbol.asyncIterator]: () => ({
      next: () =>
        reads++ === 0
          ? Promise.resolve({ done: false, value: [event] } as const)
          : Promise.reject(failure),
    }),
  }
  const context = { clock: systemClock, random: () => 0, store: { currentRevision: 1 } } as never
  const stream = withBookmarks(
    context,
    {
      changes,
      select: () => [event],
      bookmark: () => event,
      endsAt: undefined,
    },
    new AbortController().signal,
  )
  assert.equal(await stream.next(), { done: false, value: [event] })
  await new Promise((resolve) => setTimeout(resolve, 5))
  const told = await stream.next().then(
    () => undefined,
    (error: unknown) => error,
  )
  process.off('unhandledRejection', note)
  assert.is(told, failure)
  assert.equal(unhandled, [])
})

test.run()
