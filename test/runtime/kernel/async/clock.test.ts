import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { keepAlive, pause, systemClock } from '../../../../runtime/kernel/async/clock.ts'

const test = suite('runtime/kernel/async: the clock of the machine')

// The timers of this clock do not keep a process alive.
let release = () => {}
test.before(() => {
  release = keepAlive()
})
test.after(() => release())

test('a timer of more than 24.8 days does not fire at once', async () => {
  let fired = false
  const cancel = systemClock.after(2 ** 31, () => {
    fired = true
  })
  await pause(systemClock, 20)
  cancel()
  assert.is(fired, false)
})

test('a cancelled timer does not fire', async () => {
  let fired = false
  systemClock.after(1, () => {
    fired = true
  })()
  await pause(systemClock, 20)
  assert.is(fired, false)
})

test('monotonic time does not go back', () => {
  const [first, second] = [systemClock.monotonic(), systemClock.monotonic()]
  assert.ok(second >= first)
})

test.run()
