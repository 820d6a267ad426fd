/** What is read without a parser has the values that the parser gives it. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Json } from '../../../../runtime/kernel/values/json.ts'
import {
  decodeLocatedDocuments,
  decodePlainDocuments,
} from '../../../../runtime/serializer/serializer.ts'
import { plainValue } from '../../../../runtime/validate/validate.ts'

const test = suite('runtime/serializer: plain YAML')

/** The values of a text in which the parser finds nothing wrong. */
async function parsed(text: string): Promise<readonly Json[] | undefined> {
  const documents = await decodeLocatedDocuments(text)
  const isWrong = documents.some(
    ({ error, duplicates, problems }) => error || duplicates.length + problems.length > 0,
  )
  return isWrong ? undefined : documents.flatMap(({ root }) => (root ? [plainValue(root)] : []))
}

const whole = `# a comment
---
apiVersion: v1
kind: ConfigMap # behind a value
metadata:
  name: "quoted: \\"name\\" \\u00e9"
  labels: {app.kubernetes.io/name: web, "empty": {}, list: [a, 'it''s', 1, [true], {b: c}]}
  annotations:
    numbers: [0x1F, 010, 1_000, 1e3, .5, -7, 12345678901234567890]
    yes: no
    null: ~
data:
  level: info
  url: http://example.com:80/#a
  empty:
  below:
    # a comment above
    deeper: a b  c
  80: as a text
  settings.yaml: |
    listen: 0.0.0.0

      # part of it
    timeout: 30s
  stripped: |-
    one
    two

list:
- a
-   b: 1
    c: 2
-
  d: 3
-
- |
  block
- "quoted"
---

---
- second
- é😀
`

test('plain documents are read with the values of the parser', async () => {
  assert.equal(decodePlainDocuments(whole), await parsed(whole))
  assert.equal(decodePlainDocuments(Buffer.from(whole)), await parsed(whole))
  for (const text of ['', '# nothing\n', '---\n---\n', 'a: 1', '- a\n- b', 'a: |\n  x']) {
    assert.equal(decodePlainDocuments(text), await parsed(text), text)
  }
})

test('what is wrong or unusual is left to the parser', () => {
  const texts = [
    'a: 1\na: 2\n',
    'a: {b: 1, b: 2}\n',
    'a: &x 1\nb: *x\n',
    'a:\n  <<: {b: 1}\n',
    'a: !!str 1\n',
    '? a\n: b\n',
    'a: >\n  folded\n',
    'a: |+\n  kept\n\n',
    'a: |2\n   deeper\n',
    'a: one\n  two\n',
    'a: "one\n  two"\n',
    'a: [1,\n  2]\n',
    'a:\n\t- b\n',
    'a: b\r\n',
    '\ufeffa: b\n',
    'a: .inf\n',
    '__proto__: {a: 1}\n',
    'a: b: c\n',
    'a: [b: c]\n',
    'a: {b}\n',
    '- - a\n',
    'a:\n  b: 1\n c: 2\n',
    'a\n',
    '{"a": 1}\n',
    '--- a\n',
    '%YAML 1.2\n---\na: 1\n',
    'a: 1\n...\n',
    'a: \0\n',
    `${'- a:\n'.replace('- ', '')}${Array.from({ length: 80 }, (_, at) => `${' '.repeat(at + 1)}a:\n`).join('')}`,
  ]
  for (const text of texts) assert.is(decodePlainDocuments(text), undefined, text)
  assert.is(decodePlainDocuments(Buffer.from([0x61, 0x3a, 0x20, 0xff])), undefined)
})

const fragments = [
  ...[
    'a',
    '- ',
    '---',
    '---\n',
    '...',
    ': ',
    ':',
    '#',
    ' #',
    ' ',
    '  ',
    '\n',
    '\n\n',
    '\n  ',
    '\n- ',
  ],
  ...[
    '|',
    '|-',
    '|+',
    '>',
    '"',
    "'",
    '\\',
    '{',
    '}',
    '[',
    ']',
    ',',
    '&x',
    '*x',
    '!t',
    '%',
    '?',
    '<<: ',
  ],
  ...[
    '~',
    'yes',
    '010',
    '.inf',
    '\t',
    '\r\n',
    'key: v',
    'k: |\n  x\n',
    '- a: b\n  c: d\n',
    '"q": 1',
  ],
  ...[
    '\u00a0',
    '"a\\n"',
    "'it''s'",
    '12:30',
    'a#b',
    '{a: 1, b: [c, "d"]}',
    '[ ]',
    '--- #c',
    '-\n',
    ': x',
  ],
]

/** Texts that differ from a plain one at up to three places, the same ones in every run. */
function* nearMisses(count: number): Generator<string> {
  let seed = 1
  const below = (limit: number) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    return Math.floor((seed / 2 ** 32) * limit)
  }
  const lines = whole.split('\n')
  for (let at = 0; at < count; at++) {
    let text = lines.slice(below(lines.length), below(lines.length) + 8).join('\n')
    for (let edits = below(4); edits > 0; edits--) {
      const place = below(text.length + 1)
      const added = below(3) > 0 ? (fragments[below(fragments.length)] as string) : ''
      text = text.slice(0, place) + added + text.slice(added === '' ? place + 1 + below(3) : place)
    }
    yield text
  }
}

test('a near miss is read as the parser reads it, or left to it', async () => {
  let read = 0
  for (const text of nearMisses(4000)) {
    const values = decodePlainDocuments(text)
    if (values === undefined) continue
    read++
    assert.equal(values, await parsed(text), JSON.stringify(text))
  }
  assert.ok(read > 800, `${read} were read`)
})

test.run()
