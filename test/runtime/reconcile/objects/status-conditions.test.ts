import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { conditionOf, setCondition } from '../../../../runtime/reconcile/reconcile.ts'

interface Condition {
  readonly type: 'Ready' | 'Paused'
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: string
  readonly message: string
  readonly lastTransitionTime: string
}

const test = suite('runtime/reconcile: conditions')
const first = Date.parse('2026-01-01T00:00:00Z')
const later = first + 60_000
const ready = { type: 'Ready', status: 'True', reason: 'Built', message: '' } as const

test('a new condition carries the time it was set', () => {
  const conditions = setCondition<Condition>(undefined, ready, first)
  assert.is(conditionOf(conditions, 'Ready')?.lastTransitionTime, '2026-01-01T00:00:00Z')
})

test('the time moves when the status does', () => {
  const before = setCondition<Condition>([], ready, first)
  const after = setCondition(before, { ...ready, status: 'False' }, later)
  assert.is(conditionOf(after, 'Ready')?.lastTransitionTime, '2026-01-01T00:01:00Z')
})

test('another reason leaves the time alone', () => {
  const before = setCondition<Condition>([], ready, first)
  const after = setCondition(before, { ...ready, reason: 'Rebuilt' }, later)
  assert.equal(after, [{ ...ready, reason: 'Rebuilt', lastTransitionTime: '2026-01-01T00:00:00Z' }])
})

test('nothing new gives back the same list', () => {
  const before = setCondition<Condition>([], ready, first)
  assert.is(setCondition(before, ready, later), before)
})

test('other conditions keep their place', () => {
  const paused = { ...ready, type: 'Paused' } as const
  const before = setCondition<Condition>(setCondition<Condition>([], ready, first), paused, first)
  const after = setCondition(before, { ...ready, status: 'False' }, later)
  assert.equal(
    after.map(({ type }) => type),
    ['Ready', 'Paused'],
  )
})

test.run()
