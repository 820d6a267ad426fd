/** What a pod's sender is warned of, and what looking for it costs. F-10 */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { podWarnings } from '../../../../../runtime/apis/core/pod/pod-warnings.ts'

const test = suite('runtime/apis: warnings about pods')

test('each of ten thousand ports is compared with a few others, not with all', () => {
  let reads = 0
  const ports = Array.from({ length: 10_000 }, (_, index) => ({
    containerPort: 80,
    get hostPort() {
      reads++
      return index + 1
    },
  }))
  const texts = podWarnings('', { spec: { containers: [{ name: 'main', ports }] } }, 'orch.io')
  assert.equal(texts, [])
  assert.ok(reads > 10_000 && reads <= 10_000 * 32, `${reads} reads`)
})

test('of more than a hundred warnings the first hundred are given', () => {
  const ports = Array.from({ length: 10_000 }, () => ({ containerPort: 80 }))
  assert.is(
    podWarnings('', { spec: { containers: [{ name: 'main', ports }] } }, 'orch.io').length,
    100,
  )
})

test.run()
