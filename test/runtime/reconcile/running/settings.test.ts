// What a manager cannot work with is refused before anything runs, with the controller and the setting.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { configMaps } from '../../../../generated/apis/core/v1/config-map.ts'
import { createClient, httpTransport } from '../../../../runtime/client/client.ts'
import {
  type AnyController,
  createManager,
  defineController,
  done,
  every,
  type ManagerOptions,
} from '../../../../runtime/reconcile/reconcile.ts'

const test = suite('runtime/reconcile: settings')

/** Nothing is sent to it. */
const client = createClient(httpTransport({ server: 'http://127.0.0.1:1' }))

function controller(settings: Partial<AnyController> = {}): AnyController {
  return defineController({
    name: 'web',
    for: configMaps,
    reconcile: async () => done,
    ...settings,
  })
}

const wrong: readonly (readonly [what: Partial<AnyController>, message: string])[] = [
  [{ name: '' }, 'controller: it needs a name, for logs, metrics and the fields it writes'],
  [{ concurrency: 0 }, 'controller web: concurrency is 0: a whole number from 1 on'],
  [{ concurrency: Number.NaN }, 'controller web: concurrency is NaN: a whole number from 1 on'],
  [{ concurrency: 1.5 }, 'controller web: concurrency is 1.5: a whole number from 1 on'],
  [{ timeoutMs: 0 }, 'controller web: timeoutMs is 0: a finite number above 0'],
  [{ resyncMs: -1 }, 'controller web: resyncMs is -1: a finite number above 0'],
  [
    { resyncMs: Number.POSITIVE_INFINITY },
    'controller web: resyncMs is Infinity: a finite number above 0',
  ],
  [
    { queue: { rate: { perSecond: -1, burst: 1 } } },
    'controller web: queue.rate.perSecond is -1: a finite number above 0',
  ],
  [
    { queue: { minIntervalMs: -5 } },
    'controller web: queue.minIntervalMs is -5: a finite number from 0 on',
  ],
  [{ queue: { burst: 0 } }, 'controller web: queue.burst is 0: a whole number from 1 on'],
]

for (const [settings, message] of wrong) {
  test(`${JSON.stringify(settings)}: ${message}`, () => {
    assert.throws(() => createManager({ client, controllers: [controller(settings)] }), message)
  })
}

const managers: readonly (readonly [what: Partial<ManagerOptions>, message: string])[] = [
  [{ drainMs: Number.NaN }, 'manager: drainMs is NaN: a finite number from 0 on'],
  [{ startIntervalMs: -1 }, 'manager: startIntervalMs is -1: a finite number from 0 on'],
  [
    { queue: { backoff: { baseMs: 0 } } },
    'manager: queue.backoff.baseMs is 0: a finite number above 0',
  ],
]

for (const [settings, message] of managers) {
  test(message, () => {
    assert.throws(
      () => createManager({ client, controllers: [controller()], ...settings }),
      message,
    )
  })
}

test('two controllers of one name are refused by it', () => {
  const controllers = [controller(), controller({ for: configMaps })]
  assert.throws(
    () => createManager({ client, controllers }),
    'controller web: another one of the manager has this name',
  )
})

test('an interval without length or end is none', () => {
  for (const ms of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.throws(() => every(ms, () => []), `every(${ms}): milliseconds are a finite number`)
  }
})

test.run()
