import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { nearest } from '../../../runtime/kernel/nearest.ts'

const names = suite('runtime/kernel: nearest')

const rows: readonly (readonly [
  word: string,
  candidates: readonly string[],
  want: string | undefined,
])[] = [
  ['prot', ['port', 'path'], 'port'],
  ['storag', ['storage', 'store'], 'storage'],
  ['upp', ['up', 'generate'], 'up'],
  ['ups', ['version', 'up'], 'up'],
  ['whatever', ['up', 'generate'], undefined],
  ['', ['up'], undefined],
  ['x', [], undefined],
]

for (const [word, candidates, want] of rows) {
  names(`${JSON.stringify(word)} among ${candidates.join(', ')} is nearest to ${want}`, () => {
    assert.is(nearest(word, candidates), want)
  })
}

names.run()
