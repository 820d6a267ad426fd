import { tmpdir } from 'node:os'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { checkLayersTable, checkPaths, withLayersTable } from '../../../tools/check/docs.ts'
import { checkGoldens, checkTests } from '../../../tools/check/tests.ts'
import { printLayers } from '../../../tools/layers.ts'

const discipline = suite('tools/check: discipline')

const path = 'test/a.test.ts'

discipline('a suite that is never run is refused', () => {
  const text = `const one = suite('one')\nconst two = suite<X>('two')\none.run()\n`
  assert.equal(checkTests([{ path, text }]), [
    `${path}: two.run() is missing, so nothing of the suite runs`,
  ])
})

discipline('a test that is singled out or left out is refused', () => {
  const text = `const one = suite('one')\none.${'only'}('a', f)\n  one.${'skip'}('b', f)\none.run()\n`
  assert.is(checkTests([{ path, text }]).length, 2)
})

discipline('a golden file that no test mentions is refused', () => {
  const text = `read('golden/types')\nread('one')`
  const goldens = ['test/golden/types/x.txt', 'test/golden/one.txt', 'test/golden/lost.txt']
  assert.equal(checkGoldens(goldens, [{ path, text }]), [
    'test/golden/lost.txt: no test mentions it',
  ])
})

discipline('a document that names a file that is not there is refused', () => {
  const text = 'See `tools/layers.ts`, `runtime/<module>/x.ts` and `tools/nothing.ts`.'
  assert.equal(checkPaths([{ path: 'A.md', text }], tmpdir()), [
    'A.md: tools/layers.ts is not there',
    'A.md: tools/nothing.ts is not there',
  ])
})

discipline('the document of the architecture shows the layers as enforced', () => {
  const text =
    'x\n<!-- layers -->\nold\n<!-- /layers -->\n<!-- inner layers -->\n<!-- /inner layers -->\ny'
  assert.is(checkLayersTable([{ path: 'ARCHITECTURE.md', text }]).length, 1)
  assert.equal(checkLayersTable([{ path: 'ARCHITECTURE.md', text: withLayersTable(text) }]), [])
  assert.match(withLayersTable(text), printLayers().split('\n')[0]!)
  assert.is(checkLayersTable([{ path: 'ARCHITECTURE.md', text: 'x' }]).length, 2)
  assert.is(checkLayersTable([]).length, 1)
})

discipline.run()
