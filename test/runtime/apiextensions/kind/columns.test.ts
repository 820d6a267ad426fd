/** The columns of a custom kind: those up to the first whose path cannot be read. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { printerColumns } from '../../../../runtime/apiextensions/kind/columns.ts'

const test = suite('runtime/apiextensions/kind/columns')

const table: readonly (readonly [paths: readonly string[], names: readonly string[]])[] = [
  [[], ['Name', 'Age']],
  [
    ['.a', '.b[*].c'],
    ['Name', '0', '1'],
  ],
  [
    ['.a', '.b[', '.c'],
    ['Name', '0'],
  ],
  [['.a["b"]', '.c'], ['Name']],
  [
    [`.a['b']`, '.c[?(@.d=="e")].f'],
    ['Name', '0', '1'],
  ],
]
for (const [paths, names] of table) {
  test(`columns of the paths ${paths.join(' ')} are ${names.join(', ')}`, () => {
    const own = paths.map((jsonPath, at) => ({ name: String(at), type: 'string', jsonPath }))
    assert.equal(
      printerColumns(own).map(({ name }) => name),
      names,
    )
  })
}

test.run()
