import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { emptyBlocks, unquotedBlocks, unusedComments, withQuotes } from '../../tools/quoted-code.ts'

const test = suite('tools/quoted-code')

test('a marked block shows its file, the rest stays', () => {
  const before = 'a\n\n<!-- from x/y.ts -->\n\n```ts\nold\n```\n\n```ts\nkept\n```\n'
  const after = withQuotes(before, (file) => `of ${file} $1\n`)
  assert.is(
    after,
    before.replace('old', () => 'of x/y.ts $1'),
  )
  assert.is(
    withQuotes(after, (file) => `of ${file} $1\n`),
    after,
  )
})

test('an empty block is filled', () => {
  const empty = '<!-- from x.ts -->\n\n```ts\n```\n'
  assert.is(
    withQuotes(empty, () => 'new\n'),
    '<!-- from x.ts -->\n\n```ts\nnew\n```\n',
  )
})

const file = `import { a } from 'a'

/** One. */
export const one = a({
  b: 1,

  c: 2,
})

export const two = 2
// Not quoted.
const three = 3

/**
 * Four.
 */
export async function four(): Promise<void> {
  await one

  await two
}
`

const quotes: Readonly<Record<string, string>> = {
  one: '/** One. */\nexport const one = a({\n  b: 1,\n\n  c: 2,\n})',
  two: 'export const two = 2',
  four: file.slice(file.indexOf('/**\n * Four')).trimEnd(),
}

test('a block shows one declaration of its file, with its comment', () => {
  for (const [name, text] of Object.entries(quotes)) {
    const page = `<!-- from x.ts: ${name} -->\n\n\`\`\`ts\n\`\`\`\n`
    assert.is(
      withQuotes(page, () => file),
      page.replace('ts\n`', () => `ts\n${text}\n\``),
    )
  }
})

test('a declaration that is not there is an error that names it', () => {
  const page = '<!-- from x.ts: three -->\n\n```ts\n```\n'
  assert.throws(() => withQuotes(page, () => file), 'x.ts exports no declaration three')
})

test('code that is quoted from nowhere is found', () => {
  const page =
    'Like this:\n\n```ts\na\n```\n\n<!-- from x.ts -->\n\n```ts\nb\n```\n\n```sh\nc\n```\n'
  assert.equal(unquotedBlocks(page), ['Like this:'])
  assert.equal(unquotedBlocks('<!-- from x.ts -->\n\n```ts\na\n```\n\n```ts\nb\n```\n'), ['```'])
  assert.equal(unquotedBlocks('Close above:\n```ts\na\n```\n'), ['Close above:'])
})

test('a block that shows nothing is found, in any language', () => {
  const page = 'Here:\n\n```ts\n```\n\nand there:\n\n```sh\n\n```\n\n```\na\n```\n'
  assert.equal(emptyBlocks(page), ['Here:', 'and there:'])
  const quotesNothing = withQuotes('<!-- from x.ts -->\n\n```ts\na\n```\n', () => '\n')
  assert.equal(emptyBlocks(quotesNothing), ['<!-- from x.ts -->'])
})

test('a comment that quotes into no block is found', () => {
  const block = '```ts\na\n```\n'
  assert.equal(unusedComments(`<!-- from x.ts -->\n\n${block}`), [])
  for (const page of [
    `<!-- from x.ts -->\n${block}`,
    '<!-- from x.ts -->\n\ntext\n',
    `<!-- from x.ts: -->\n\n${block}`,
  ]) {
    assert.equal(unusedComments(page), [page.split('\n')[0]])
  }
})

test.run()
