import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DelayedKeys } from '../../../../runtime/reconcile/queue/delayed-keys.ts'
import { fakeClock } from '../../../support/clock.ts'

const test = suite('runtime/reconcile: delayed keys')

type Command =
  | { readonly add: string; readonly ms: number }
  | { readonly delete: string }
  | { readonly advance: number }

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
const commands = fc.array(
  fc.oneof(
    fc.record({ add: key, ms: fc.integer({ min: 1, max: 50 }) }),
    fc.record({ delete: key }),
    fc.record({ advance: fc.nat(30) }),
  ),
  { maxLength: 120 },
)

/** Runs commands on the heap and on a map of due times; gives what came due in each. */
function run(all: readonly Command[]): { real: string[]; model: string[]; timers: number } {
  const clock = fakeClock()
  const real: string[] = []
  const model: string[] = []
  const due = new Map<string, number>()
  const delayed = new DelayedKeys(clock, (one) => real.push(`${one}@${clock.now()}`))
  for (const command of all) {
    if ('add' in command) {
      const at = clock.now() + command.ms
      due.set(command.add, Math.min(due.get(command.add) ?? at, at))
      delayed.add(command.add, command.ms)
    } else if ('delete' in command) {
      due.delete(command.delete)
      delayed.delete(command.delete)
    } else {
      const end = clock.now() + command.advance
      const passed = [...due].filter(([, at]) => at <= end)
      for (const [one, at] of passed) {
        model.push(`${one}@${Math.max(at, clock.now())}`)
        due.delete(one)
      }
      clock.advance(command.advance)
    }
    assert.is(delayed.size, due.size)
    assert.ok(clock.waiting <= 1, 'there is one timer at most')
  }
  delayed.clear()
  return { real: real.sort(), model: model.sort(), timers: clock.waiting }
}

test('each key comes due once, at its earliest time, whatever was added and taken back', () => {
  fc.assert(
    fc.property(commands, (all) => {
      const { real, model, timers } = run(all)
      assert.equal(real, model)
      assert.is(timers, 0)
    }),
    { numRuns: 300 },
  )
})

test('keys that are added and taken back again and again leave nothing behind', () => {
  const clock = fakeClock()
  const delayed = new DelayedKeys(clock, () => {})
  delayed.add('kept', 1000)
  for (let n = 0; n < 10_000; n++) {
    delayed.add('a', 10 + (n % 7))
    delayed.delete('a')
  }
  assert.is(delayed.size, 1)
  assert.is(clock.waiting, 1)
  clock.advance(1000)
  assert.is(delayed.size, 0)
})

test('a time of day that is set back or ahead changes no wait', () => {
  const clock = fakeClock(1_000_000)
  const due: string[] = []
  const delayed = new DelayedKeys(clock, (one) => due.push(one))
  delayed.add('a', 50)
  clock.set(0)
  delayed.add('b', 50)
  clock.advance(49)
  assert.equal(due, [])
  clock.set(9_000_000)
  clock.advance(1)
  assert.equal(due, ['a', 'b'])
})

test.run()
