import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { affectedTests } from '../../../tools/test/affected.ts'
import { testOptions } from '../../../tools/test/options.ts'

const options = suite('tools/test: options')

options('words are parts of paths, and a pattern names tests', () => {
  assert.equal(testOptions(['store', '--grep', 'a b', '--watch', 'watch']), {
    parts: ['store', 'watch'],
    grep: 'a b',
    watch: true,
  })
  assert.equal(testOptions(['--grep=x']), { parts: [], grep: 'x', watch: false })
})

options('wrong arguments are told with the usage', () => {
  assert.throws(() => testOptions(['--only']), /unknown option --only[\s\S]*usage: npm test/)
  assert.throws(() => testOptions(['--grep']), /--grep needs a pattern/)
  assert.throws(() => testOptions(['--grep', '(']), /--grep: Invalid regular expression/)
})

options('a change concerns the tests that import it, through others too', () => {
  const graph = new Map([
    ['runtime/a.ts', []],
    ['runtime/b.ts', ['runtime/a.ts']],
    ['test/a.test.ts', ['runtime/a.ts']],
    ['test/b.test.ts', ['runtime/b.ts']],
    ['test/c.test.ts', []],
  ])
  assert.equal(affectedTests(graph, ['runtime/a.ts']), ['test/a.test.ts', 'test/b.test.ts'])
  assert.equal(affectedTests(graph, ['runtime/b.ts']), ['test/b.test.ts'])
  assert.equal(affectedTests(graph, ['test/c.test.ts']), ['test/c.test.ts'])
  assert.equal(affectedTests(graph, ['runtime/gone.ts']), [])
})

options.run()
