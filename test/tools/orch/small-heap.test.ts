import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { runProgram } from '../../support/orch.ts'

const test = suite('tools/orch: a small heap')

test('the engine knows the flags of a small heap, and its young generation stays far below the 16 MB that it grows to otherwise', async () => {
  const module = new URL('../../../tools/orch/small-heap.js', import.meta.url).href
  const text = `import { getHeapSpaceStatistics } from 'node:v8'
    const { keepHeapSmall } = await import('${module}')
    const young = () => getHeapSpaceStatistics().find((one) => one.space_name === 'new_space').space_size
    keepHeapSmall()
    let kept = []
    for (let at = 0; at < 2_000_000; at++) {
      kept.push({ at })
      if (kept.length > 50_000) kept = []
    }
    console.log(young() < 8 * 1024 * 1024)`
  const args = ['--input-type=module', '--eval', text]
  const { code, stdout, stderr } = await runProgram(process.execPath, args)
  assert.equal({ code, stdout, stderr }, { code: 0, stdout: 'true\n', stderr: '' })
})

test.run()
