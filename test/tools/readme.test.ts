import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { withFiles } from '../../tools/readme.ts'

const test = suite('tools/readme')

test('a marked block shows its file, the rest stays', () => {
  const before = 'a\n\n<!-- from x/y.ts -->\n\n```ts\nold\n```\n\n```ts\nkept\n```\n'
  const after = withFiles(before, (file) => `of ${file} $1\n`)
  assert.is(
    after,
    before.replace('old', () => 'of x/y.ts $1'),
  )
  assert.is(
    withFiles(after, (file) => `of ${file} $1\n`),
    after,
  )
})

test('an empty block is filled', () => {
  const empty = '<!-- from x.ts -->\n\n```ts\n```\n'
  assert.is(
    withFiles(empty, () => 'new\n'),
    '<!-- from x.ts -->\n\n```ts\nnew\n```\n',
  )
})

test.run()
