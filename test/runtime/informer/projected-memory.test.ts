// What a watch of some fields takes: of a whole process, whose heap is bounded.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startControlPlane } from 'orch/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createSecrets, type Projected } from '../../../tools/bench/projected-secrets.ts'
import { hangSignal } from '../../support/deadline.ts'
import { tempDirectory } from '../../support/temp.ts'

const test = suite('runtime/informer: memory')

const heapMegabytes = 80
/** Twice what the heap holds. */
const secrets = { objects: 3000, valueBytes: 60_000 }

test('an operator that reads one field of 3,000 large objects never has them in its heap', async () => {
  await using plane = await startControlPlane({ socket: true })
  await createSecrets(plane, secrets)
  const orchconfig = join(tempDirectory(), 'orchconfig')
  writeFileSync(orchconfig, plane.orchconfig ?? '')
  const program = new URL('../../../tools/bench/projected-process.js', import.meta.url)
  const operator = fork(program, [orchconfig], {
    execArgv: [`--max-old-space-size=${heapMegabytes}`],
    stdio: ['ignore', 'inherit', 'ignore', 'ipc'],
  })
  const ended = once(operator, 'exit', { signal: hangSignal() })
  let cached = 0
  operator.on('message', (message) => {
    cached = (message as Projected).cached
  })
  assert.equal(await ended, [0, null], 'it ends by itself')
  assert.is(cached, secrets.objects)
})

test.run()
