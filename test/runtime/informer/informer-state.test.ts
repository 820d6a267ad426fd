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

const none = { failures: 0, forgotten: 0 }
const empty: InformerState = { at: 'empty', ...none }
const listing: InformerState = { at: 'listing', ...none }
const watching: InformerState = { at: 'watching', ...none, revision: '7' }
const relisting: InformerState = { at: 'empty', failures: 0, forgotten: 1 }
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
  ['a list that fails is begun anew', listing, failed(down), { ...empty, failures: 1 }],
  [
    'an event moves the revision',
    watching,
    { is: 'saw', revision: '8' },
    { ...watching, revision: '8' },
  ],
  [
    'an event ends the count of failures',
    { ...watching, failures: 3, forgotten: 2 },
    { is: 'saw', revision: '7' },
    watching,
  ],
  ['a stream that ends is resumed', watching, { is: 'ended' }, { ...watching, failures: 1 }],
  ['a stream that breaks is resumed', watching, failed(down), { ...watching, failures: 1 }],
  // A4.43, A7.7: on 410 a client lists again.
  ['history that is gone is listed again at once', watching, failed(expired), relisting],
  ['a revision that the server never had is listed again', watching, failed(ahead), relisting],
  ['the older word for it counts too', watching, failed(gone), relisting],
  [
    'a server that was away and has forgotten is asked at once',
    { ...watching, failures: 7 },
    failed(expired),
    relisting,
  ],
  [
    'a list that came ends the count of failures',
    { ...listing, failures: 7 },
    { is: 'listed', revision: '7' },
    watching,
  ],
  [
    'a server that forgets every revision is asked later each time',
    { ...watching, forgotten: 3 },
    failed(expired),
    { at: 'empty', failures: 3, forgotten: 4 },
  ],
]

for (const [name, state, step, want] of steps) {
  test(name, () => assert.equal(nextState(state, step), want))
}

test('the wait doubles with each failure, up to thirty seconds', () => {
  const waits = [0, 1, 2, 3, 9, 50].map((failures) => retryDelayMs({ failures }, () => 1))
  assert.equal(waits, [0, 200, 400, 800, 30_000, 30_000])
})

test('chance takes away up to half of the wait', () => {
  assert.is(
    retryDelayMs({ failures: 1 }, () => 0),
    100,
  )
})

test.run()
