import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type InformerState,
  type InformerStep,
  nextState,
  retryDelayMs,
} from '../../../runtime/informer/informer.ts'
import { StatusError } from '../../../runtime/kernel/errors/status-error.ts'

const test = suite('runtime/informer: states')

const empty: InformerState = { at: 'empty', failures: 0 }
const listing: InformerState = { at: 'listing', failures: 0 }
const watching: InformerState = { at: 'watching', failures: 0, revision: '7' }
const failed = (error: unknown): InformerStep => ({ is: 'failed', error })
const down = new StatusError('ServiceUnavailable', 'no server')
const expired = new StatusError('Expired', 'too old')
const gone = new StatusError('Gone', 'too old')

// D-21: what a server says of a revision that it has not reached.
const ahead = new StatusError('Timeout', 'Too large resource version', {
  details: { causes: [{ reason: 'ResourceVersionTooLarge', message: '' }] },
})

const steps: readonly [string, InformerState, InformerStep, InformerState][] = [
  ['an empty one begins to list', empty, { is: 'began' }, listing],
  ['a list leads to a watch', listing, { is: 'listed', revision: '7' }, watching],
  ['a list that fails is begun anew', listing, failed(down), { at: 'empty', failures: 1 }],
  [
    'an event moves the revision',
    watching,
    { is: 'saw', revision: '8' },
    { ...watching, revision: '8' },
  ],
  [
    'an event ends the count of failures',
    { ...watching, failures: 3 },
    { is: 'saw', revision: '7' },
    watching,
  ],
  ['a stream that ends is resumed', watching, { is: 'ended' }, { ...watching, failures: 1 }],
  ['a stream that breaks is resumed', watching, failed(down), { ...watching, failures: 1 }],
  // A4.43, A7.7: on 410 a client lists again.
  ['history that is gone is listed again', watching, failed(expired), { at: 'empty', failures: 1 }],
  [
    'a revision that the server never had is listed again',
    watching,
    failed(ahead),
    { at: 'empty', failures: 1 },
  ],
  ['the older word for it counts too', watching, failed(gone), { at: 'empty', failures: 1 }],
]

for (const [name, state, step, want] of steps) {
  test(name, () => assert.equal(nextState(state, step), want))
}

test('the wait doubles with each failure, up to thirty seconds', () => {
  const waits = [0, 1, 2, 3, 9, 50].map((failures) =>
    retryDelayMs({ at: 'empty', failures }, () => 1),
  )
  assert.equal(waits, [0, 200, 400, 800, 30_000, 30_000])
})

test('chance takes away up to half of the wait', () => {
  assert.is(
    retryDelayMs({ at: 'empty', failures: 1 }, () => 0),
    100,
  )
})

test.run()
