import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { spotAt, typingAt } from '../../../../runtime/editor/text/cursor.ts'
import { outlineOf } from '../../../../runtime/editor/text/outline.ts'
import type { OutlineNode } from '../../../../runtime/editor/text/outline-nodes.ts'

const test = suite('runtime/editor: outlines')

/** As JSON would be, with `key?` for a word without a colon and `...` for a value that is missing. */
function shown(node: OutlineNode | undefined): string {
  if (node === undefined) return '...'
  if (node.is === 'scalar') return node.style === 'block' ? '|' : node.text
  if (node.is === 'list') {
    return `[${node.items.map((one) => (one.isLoose ? '?' : '') + shown(one.value)).join(', ')}]`
  }
  const entries = node.entries.map(({ key, colon, value }) =>
    colon === undefined ? `${key}?` : `${key}: ${shown(value)}`,
  )
  return `{${entries.join(', ')}}`
}

const texts: readonly (readonly [name: string, text: string, wanted: string])[] = [
  [
    'nested blocks',
    'a: 1\nb:\n  c: x # y\n  d:\n    e: "f: g"\n',
    '{a: 1, b: {c: x, d: {e: f: g}}}',
  ],
  ['lists as deep as their key', 'a:\n- b: 1\n  c: 2\n- d\ne: 3\n', '{a: [{b: 1, c: 2}, d], e: 3}'],
  ['lists in lists', '- - a\n  - b\n- c\n', '[[a, b], c]'],
  ['blocks of text', 'a: |\n  b: c\n\n  # d\ne: >-\n  f\ng: h\n', '{a: |, e: |, g: h}'],
  ['brackets over lines', 'a: {b: [1, 2],\n  c: {}}\nd: e\n', '{a: {b: [1, 2], c: {}}, d: e}'],
  ['JSON', '{"a": {"b": [1, "x"]},\n"c": null}', '{a: {b: [1, x]}, c: null}'],
  ['anchors and tags', 'a: &x !!str b\nc: *x\nd: &y\n  e: f\n', '{a: b, c: *x, d: {e: f}}'],
  [
    'lines with carriage returns and a byte-order mark',
    '\uFEFFa: b\r\nc:\r\n  - d\r\n',
    '{a: b, c: [d]}',
  ],
  ['a key that is being typed before others', 'a:\n  rep\n  b: 1\n', '{a: {rep?, b: 1}}'],
  ['a key that is being typed behind others', 'a:\n  b: 1\n  rep\nc: 2', '{a: {b: 1, rep?}, c: 2}'],
  ['a value that is missing', 'a:\n  b:\n  c: 1\n', '{a: {b: ..., c: 1}}'],
  ['an item that is missing', 'a:\n  -\n  - b: 1\n', '{a: [..., {b: 1}]}'],
  ['a word where a dash would stand', 'a:\n  - b: 1\n  c', '{a: [{b: 1}, ?c]}'],
  ['tabs', 'a:\n\tb: 1\n\tc:\n\t\td: 2\n', '{a: {b: 1, c: {d: 2}}}'],
  ['a line that is not deep enough', 'a:\n    b: 1\n  c: 2\n', '{a: {b: 1, c: 2}}'],
  ['a quote that is not closed', 'a: "b\nc: d\n', '{a: b, c: d}'],
  ['a quote over lines', 'a: "b\n  c: d"\ne: f\n', '{a: b\n  c: d, e: f}'],
  ['a bracket that is not closed', 'a: {b: c,\nd: e\n', '{a: {b: c, ?}, d: e}'],
  ['JSON without a comma', '{"a": 1\n"b": 2}', '{a: 1, b: 2}'],
  ['JSON with a value that is missing', '{"a": \n"b": 2}', '{a: ..., b: 2}'],
  ['JSON with a key that is being typed', '{"a": 1,\n"rep\n"b": 2}', '{a: 1, rep?, b: 2}'],
  ['brackets that are closed twice', '{"a": [1]]}\n', '{a: [1]}'],
]

for (const [name, text, wanted] of texts) {
  test(`${name}: every part is in its place`, () => {
    assert.is(shown(outlineOf(text)[0]?.value), wanted)
  })
}

test('each document is an outline of its own', () => {
  const all = outlineOf('# x\n---\na: 1\n---\nb: 2\n...\n---\nc\n')
  assert.equal(
    all.map(({ value }) => shown(value)).filter((one) => one !== '...'),
    ['{a: 1}', '{b: 2}', 'c'],
  )
})

/** A bar stands at the cursor. */
const places: readonly (readonly [name: string, text: string, wanted: string])[] = [
  ['a blank line below a key', 'a:\n  |\nb: 1\n', 'value a ""'],
  ['a blank line beside keys', 'a:\n  b: 1\n  |\nc: 2\n', 'key a.x ""'],
  ['the root', 'a: 1\n|\n', 'key x ""'],
  ['an empty text', '|', 'value  ""'],
  ['half a key', 'a:\n  b: 1\n  re|p\n', 'key a.rep "re"'],
  ['behind a colon and a space', 'a: |\nb: 1', 'value a ""'],
  ['right behind a colon', 'a:|\nb: 1', 'value a ""'],
  ['half a value', 'a: va|l\n', 'value a "va"'],
  ['behind a dash', 'a:\n  - |\n', 'value a.0 ""'],
  ['below an item', 'a:\n  - b: 1\n    |\n', 'key a.0.x ""'],
  ['where a dash would stand', 'a:\n  - b: 1\n  |\n', 'value a.1 ""'],
  ['in braces', 'a: {b: 1, |}\n', 'key a.x ""'],
  ['a value in braces', 'a: {b: |, c: 1}\n', 'value a.b ""'],
  ['in brackets', 'a: [b, |]\n', 'value a.1 ""'],
  ['half a key of JSON', '{"a": {"b": 1, "re|"}}', 'key a.re "re"'],
  ['an empty JSON object', '{\n  |\n}', 'key x ""'],
  ['a value of JSON', '{"a": |}', 'value a ""'],
  ['below tabs', 'a:\n\tb: 1\n\t|\n', 'key a.x ""'],
]

for (const [name, marked, wanted] of places) {
  test(`${name}: it is known what is typed there`, () => {
    const offset = marked.indexOf('|')
    const found = typingAt(marked.slice(0, offset) + marked.slice(offset + 1), offset)
    assert.is(found && `${found.spot.is} ${found.spot.path.join('.')} "${found.word}"`, wanted)
  })
}

test('nothing is typed in comments and blocks of text', () => {
  assert.is(typingAt('a: 1 # x\n', 7), undefined)
  assert.is(typingAt('a: |\n  x\n', 8), undefined)
})

test('a place has the key or the value that stands there', () => {
  const all = outlineOf('a:\n  bc: "de"\n')
  assert.equal(spotAt(all, 6)?.path, ['a', 'bc'])
  assert.is(spotAt(all, 6)?.is, 'key')
  assert.is(spotAt(all, 11)?.scalar?.text, 'de')
})

test('a hundred thousand brackets, dashes and quotes are read in one pass', () => {
  for (const part of ['[', '{', '- ', '"', '{"a":', 'a: "b\n', '- - ', ' :', '\t', '*a ', '|\n']) {
    const all = outlineOf(part.repeat(100_000))
    assert.ok(all.length > 0)
  }
})

test.run()
