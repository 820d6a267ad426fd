/** The order of keys in YAML. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { compareKeys } from '../../../../runtime/serializer/yaml/key-order.ts'

const tests = suite('runtime/serializer: order of keys')

tests('numbers in keys are ordered by what they are, letters behind anything else', () => {
  const ordered = [
    ...['', '-', '0', '1', '01', '2', '10', 'A', 'a', 'a-b', 'a.b', 'a1', 'a2', 'a10', 'a10b'],
    ...['aa', 'b', 'k:{"name":"V_2"}', 'k:{"name":"V_10"}', 'z', 'é'],
  ]
  assert.equal([...ordered].reverse().sort(compareKeys), ordered)
})

tests('texts of letters are ordered as others are', () => {
  const part = fc.constantFrom('a', 'B', 'c', 'D')
  const key = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(key, key, (a, b) => {
      const order = Math.sign(compareKeys(a, b))
      for (const end of ['', '0', 'é', '\u{1f600}'])
        assert.is(Math.sign(compareKeys(`_${end}${a}`, `_${end}${b}`)), order, `${a} ${b} ${end}`)
    }),
  )
})

tests.run()
