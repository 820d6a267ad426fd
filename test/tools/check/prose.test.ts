import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { checkProse } from '../../../tools/check/prose.ts'

const prose = suite('tools/check: prose')

prose('a comment that leaves open who acts is refused with its line', () => {
  const text = `const x = 'nobody'\n/**\n * Whoever asks first.\n */\n`
  assert.equal(checkProse([{ path: 'runtime/x.ts', text }], []), [
    'runtime/x.ts:3: "Whoever": name who it is',
  ])
})

prose('one word a concept holds for documents, too', () => {
  assert.equal(checkProse([], [{ path: 'A.md', text: 'a\nThe rooms of it.\n' }]), [
    'A.md:2: "rooms": module',
  ])
})

prose('code, tests and generated files say what they like', () => {
  const text = '// somebody\n'
  assert.equal(checkProse([{ path: 'test/x.test.ts', text }], []), [])
  assert.equal(checkProse([{ path: 'generated/x.ts', text }], []), [])
  assert.equal(checkProse([{ path: 'runtime/x.ts', text: 'const room = 1\n' }], []), [])
})

prose.run()
