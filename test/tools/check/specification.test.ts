import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  checkSpecification,
  citationsIn,
  readEntries,
  testedTable,
  untestedEntries,
} from '../../../tools/check/specification.ts'

const specification = suite('tools/check: specification')

// Ids are put together here, so that this file itself names none.
const dotted = (n: number, section = 'A4') => `${section}.${n}`
const dashed = (n: string, letter = 'X') => `${letter}-${n}`

const documents = [
  {
    path: 'docs/spec/A4.md',
    text: [
      '# A4',
      '',
      `- **${dotted(1)}** (context) A word.`,
      `- **${dotted(2)}** One.`,
      `- **${dotted(3)}** Two, see ${dashed('04')}.`,
    ].join('\n'),
  },
  { path: 'docs/spec/supplement/x.md', text: `- **${dashed('04')}** Three.\n` },
]

const ids = (text: string) => citationsIn(text).map(({ id }) => id)

specification('an entry is a line with an id and a promise', () => {
  assert.equal(readEntries(documents).slice(0, 2), [
    { id: dotted(1), text: 'A word.', mark: 'context', path: 'docs/spec/A4.md', line: 3 },
    { id: dotted(2), text: 'One.', path: 'docs/spec/A4.md', line: 4 },
  ])
})

specification('ids are found in titles, comments and rows, with their lines', () => {
  assert.equal(citationsIn(`x\ntest('so it is (${dotted(12)}, ${dashed('04')})')`), [
    { id: dotted(12), line: 2 },
    { id: dashed('04'), line: 2 },
  ])
  assert.equal(ids(`// ${dotted(130, 'D2')}\t${dashed('15', 'CL')}: ${dashed('05', 'A')}.`), [
    dotted(130, 'D2'),
    dashed('15', 'CL'),
    dashed('05', 'A'),
  ])
})

specification('a range names all that it spans', () => {
  const span = [dotted(9), dotted(10), dotted(11)]
  for (const word of ['-', ' - ', '–', ' to ']) {
    assert.equal(ids(`${dotted(9)}${word}${dotted(11)}`), span)
  }
  assert.equal(
    ids(`${dashed('09')} to ${dashed('11')}`),
    ['09', '10', '11'].map((n) => dashed(n)),
  )
})

specification('a range across sections or backwards is its two ends', () => {
  assert.equal(ids(`${dotted(1)} to ${dotted(2, 'A5')}`), [dotted(1), dotted(2, 'A5')])
  assert.equal(ids(`${dashed('04')}-${dashed('02')}`), [dashed('04'), dashed('02')])
})

specification('quantities, versions, digests, dates and names are no ids', () => {
  for (const text of [
    '0xA4.12',
    'fA4.12',
    'v1.29',
    'UTF-16',
    'SHA-256',
    'P-384',
    '2024-01-01T-05',
    'abc-X-04',
    'X-04a',
    'X-0',
    'Retry-After: 12',
    'A4.12Mi',
  ]) {
    assert.equal(ids(text), [], text)
  }
})

specification('an id without an entry is refused with its place, wherever it stands', () => {
  const sources = [
    { path: 'runtime/a.ts', text: `\n// ${dotted(4)}` },
    { path: 'test/b.test.ts', text: `${dotted(2)} to ${dotted(5)}, ${dashed('04')}` },
  ]
  const document = { path: 'docs/spec/README.md', text: `as ${dashed('05')} says` }
  assert.equal(checkSpecification([...documents, document], sources).problems, [
    `docs/spec/README.md:1: ${dashed('05')} is no id of docs/spec`,
    `runtime/a.ts:2: ${dotted(4)} is no id of docs/spec`,
    `test/b.test.ts:1: ${dotted(4)} is no id of docs/spec`,
    `test/b.test.ts:1: ${dotted(5)} is no id of docs/spec`,
  ])
})

specification('an id that stands for two entries is refused', () => {
  const again = { path: 'docs/spec/z.md', text: `- **${dotted(2)}** Again.` }
  const test = { path: 'test/a.test.ts', text: `${dotted(2)}, ${dotted(3)}, ${dashed('04')}` }
  assert.equal(checkSpecification([...documents, again], [test]).problems, [
    `docs/spec/A4.md:4: ${dotted(2)} stands for another entry, too`,
  ])
})

specification(
  'a promise has a test when a file of the tests names it, and context needs none',
  () => {
    const sources = [
      { path: 'test/a.test.ts', text: `test('two (${dotted(2)})')` },
      { path: 'runtime/a.ts', text: `// ${dotted(3)}` },
    ]
    const entries = readEntries(documents)
    const left = untestedEntries(entries, sources).map(({ id }) => id)
    assert.equal(left, [dotted(3), dashed('04')])
    assert.equal(testedTable(entries, sources), ['A4    1 of 2', 'X-    0 of 1', 'all   1 of 3'])
    const { problems, note } = checkSpecification(documents, sources)
    assert.equal(problems, [
      `docs/spec/A4.md:5: ${dotted(3)} has no test that names it`,
      `docs/spec/supplement/x.md:1: ${dashed('04')} has no test that names it`,
    ])
    assert.is(note, '3 promises, 0 planned')
  },
)

specification('a planned promise needs no test, and is planned no longer when it has one', () => {
  const later = { path: 'docs/spec/y.md', text: `- **${dashed('01', 'Y')}** (planned) Later.` }
  const entries = readEntries([later])
  assert.equal(testedTable(entries, []), ['Y-    0 of 0, 1 planned', 'all   0 of 0, 1 planned'])
  assert.equal(checkSpecification([later], []), { problems: [], note: '0 promises, 1 planned' })
  const test = { path: 'test/y.test.ts', text: dashed('01', 'Y') }
  assert.equal(checkSpecification([later], [test]).problems, [
    `docs/spec/y.md:1: ${dashed('01', 'Y')} is planned, and a test names it`,
  ])
})

specification.run()
