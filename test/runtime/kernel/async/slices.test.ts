/** Long work in turns: same results, others in between, little work at once. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  runInSlices,
  runToCompletion,
  type Steps,
} from '../../../../runtime/kernel/async/slices.ts'

const test = suite('runtime/kernel: turns')

function* counting(steps: number, work: number): Steps<number> {
  let count = 0
  for (; count < steps; count++) yield work
  return count
}

test('little work is done at once, without a promise', () => {
  assert.is(runInSlices(counting(10, 1)), 10)
})

test('much work lets others have their turns, and comes to the same', async () => {
  let turns = 0
  let working = true
  const others = (): void => {
    turns++
    if (working) setImmediate(others)
  }
  setImmediate(others)
  const result = await runInSlices(counting(100, 2000))
  working = false
  assert.is(result, runToCompletion(counting(100, 2000)))
  assert.ok(turns >= 20, `${turns} turns of others`)
})

test('of all long work one slice is done in a turn', async () => {
  const perTurn: number[] = []
  let now = 0
  let working = true
  function* busy(): Steps<void> {
    for (let step = 0; step < 5; step++) {
      perTurn[now] = (perTurn[now] ?? 0) + 1
      yield 1_000_000
    }
  }
  const all = [1, 2, 3].map(() => runInSlices(busy()))
  const tick = (): void => {
    now++
    if (working) setImmediate(tick)
  }
  setImmediate(tick)
  await Promise.all(all)
  working = false
  assert.ok(Math.max(...perTurn.slice(1).filter((one) => one > 0)) <= 2)
})

test('what fails in a later slice fails the whole', async () => {
  function* failing(): Steps<void> {
    yield 1_000_000
    throw new Error('broken')
  }
  const said = await Promise.resolve(runInSlices(failing())).catch((error: Error) => error.message)
  assert.is(said, 'broken')
})

test.run()
