import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { randomScenarios } from '../../../tools/compare/controllers/random/random.ts'
import { worlds } from '../../../tools/compare/controllers/random/worlds.ts'

const test = suite('tools/compare: histories that are drawn from a seed')

test('each world has as many histories as asked for, by names that say what to run again', () => {
  const names = [...randomScenarios('7:2').keys()]
  assert.is(names.length, 2 * worlds.length)
  assert.is(new Set(names).size, names.length)
  for (const { name } of worlds) assert.ok(names.includes(`s-${name}-r7-1`), name)
})

test('what is neither a seed nor a seed with a count is refused', () => {
  for (const asked of ['', 'x', '1:', '1:x', '-1', '1:2:3'])
    assert.throws(() => randomScenarios(asked), /must be SEED or SEED:COUNT/, asked)
})

test.run()
