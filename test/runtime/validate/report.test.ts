/** Every format of a run whose texts try to break it, judged by what reads the format. */
import { readFile } from 'node:fs/promises'
import { Ajv } from 'ajv'
import formatsOfAjv from 'ajv-formats'
import type { Log, Result } from 'sarif'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { type Finding, type Format, formats, type Run } from '../../../runtime/validate/validate.ts'

const report = suite('runtime/validate/report')

const hostile = 'a\u001b[31m "b" <c> & ]]> | `d` %25 ::error:: #1 \\ {0}\r\nnot ok 9 - \u0000é😀'
const file = 'my file,a:b%#?.yaml'
const at = { line: 3, column: 5, offset: 20, end: 24 }
const object = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a' }
const findings: readonly Finding[] = [
  { rule: 'text.encoding', severity: 'error', message: hostile, file },
  {
    ...{ rule: 'field.unknown', severity: 'error', message: `x${hostile}`, file, at, object },
    ...{ path: `data[${hostile}]`, related: [{ message: hostile, file, at }] },
    failing: { rule: `self == '${hostile}'`, start: 0, end: 4 },
  },
  { rule: 'policy.audit', severity: 'note', message: hostile, file, at, object },
]
const run: Run = {
  ...{ findings, files: [file, 'good.yaml'], objects: 2, suppressed: 0, known: 0 },
  ...{ version: '1.2.3', colour: false, line: () => `\tkey: ${hostile}` },
}
const told = Object.fromEntries(
  Object.entries(formats).map(([name, print]) => [name, print(run)]),
) as Readonly<Record<Format, string>>

report('SARIF is valid by the schema that is published for it', async () => {
  const name = '@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json'
  const found = await readFile(new URL(import.meta.resolve(name)), 'utf8').catch(() => undefined)
  if (found === undefined) return console.log(`SKIP the schema of SARIF: ${name} is not installed`)
  // It is a schema of draft 4 without what later drafts changed, and one of its patterns is none with the flag for Unicode.
  const { $schema: _, id: __, ...schema } = JSON.parse(found)
  const ajv = new Ajv({ strict: false, unicodeRegExp: false })
  formatsOfAjv.default(ajv)
  const isValid = ajv.compile({ ...schema, $id: 'sarif' })
  const log: unknown = JSON.parse(told.sarif)
  assert.ok(isValid(log), JSON.stringify(isValid.errors))
  const [first, second] = (log as Log).runs[0]?.results ?? []
  const place = (one: Result | undefined) => one?.locations?.[0]?.physicalLocation
  assert.is(place(first)?.region, undefined)
  assert.is(decodeURIComponent(place(second)?.artifactLocation?.uri ?? ''), file)
  assert.is(second?.message.text, `x${hostile}`)
  assert.not(isValid({ version: '2.1.0', runs: [{ results: [{ message: 'no object' }] }] }))
})

report('JSON and lines of JSON have the texts as they are', () => {
  const lines = told.ndjson.split('\n').map((line) => JSON.parse(line))
  assert.equal(JSON.parse(told.json).findings, lines)
  assert.is(lines[0].message, hostile)
})

report('JUnit is XML whose texts have no markup and no character that XML lacks', () => {
  const token = /<(?:[^<>"]|"[^<"]*")*>|&(?:lt|gt|amp|quot|#10);|[^<&]/gy
  assert.is((told.junit.match(token) ?? []).join(''), told.junit)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  assert.not.match(told.junit, /[\0-\x08\x0b\x0c\x0e-\x1f]/)
  const open: string[] = []
  for (const [, end, name = '', single] of told.junit.matchAll(
    /<(\/?)([a-z-]+)(?:[^<>"]|"[^"]*")*?(\/?)>/g,
  )) {
    if (end) assert.is(open.pop(), name)
    else if (!single) open.push(name)
  }
  assert.equal(open, [])
  const counts = [...told.junit.matchAll(/tests="(\d+)" failures="(\d+)"/g)].map(
    ([, ...all]) => all,
  )
  assert.equal(counts, [
    ['4', '2'],
    ['3', '2'],
    ['1', '0'],
  ])
})

report('TAP has as many tests as it plans, and its blocks are YAML', () => {
  const [version, plan, ...lines] = told.tap.split('\n')
  assert.equal([version, plan], ['TAP version 14', '1..2'])
  const tests = lines.filter((line) => !line.startsWith(' '))
  assert.equal(tests, ['not ok 1 - my file,a:b%\\#?.yaml', 'ok 2 - good.yaml'])
  const block = lines
    .filter((line) => line.startsWith('  '))
    .slice(1, -1)
    .join('\n')
  const texts = parse(block).findings
  assert.is(texts[0], `${file}: error: ${hostile} [text.encoding]`)
})

report('commands of GitHub stand on a line each and say what they were given', () => {
  const plain = (text: string) =>
    text
      .replaceAll('%2C', ',')
      .replaceAll('%3A', ':')
      .replaceAll('%0D', '\r')
      .replaceAll('%0A', '\n')
      .replaceAll('%25', '%')
  const lines = told.github.split('\n')
  assert.is(lines.length, 3)
  const read = lines.map(
    (line) =>
      /^::(\w+) file=([^,:]*)(,line=3,col=5)?,title=([a-z.-]+)::(.*)$/.exec(line)?.slice(1) ?? [],
  )
  assert.equal(
    read.map(([word, name, place, rule]) => [word, plain(name ?? ''), place !== undefined, rule]),
    [
      ['error', file, false, 'text.encoding'],
      ['error', file, true, 'field.unknown'],
      ['notice', file, true, 'policy.audit'],
    ],
  )
  assert.is(plain(read[1]?.[4] ?? ''), `x${hostile}`)
})

report('a report of GitLab has what it demands, and findings are told apart', () => {
  const rows = JSON.parse(told.gitlab)
  assert.equal(new Set(rows.map(({ fingerprint }: { fingerprint: string }) => fingerprint)).size, 3)
  for (const row of rows) {
    assert.type(row.description, 'string')
    assert.ok(['info', 'minor', 'major', 'critical', 'blocker'].includes(row.severity))
    assert.is(row.location.path, file)
  }
  assert.equal(rows[1].location.positions.begin, { line: 3, column: 5 })
})

report('a table of Markdown has a line for each finding, with four cells', () => {
  const rows = told.markdown.split('\n').filter((line) => line.startsWith('|'))
  assert.is(rows.length, 2 + findings.length)
  for (const row of rows) assert.is(row.split(/(?<!\\)\|/).length, 6)
  assert.not.match(told.markdown, /(?<!\\)</)
})

report('text for people has no character that acts on a terminal', () => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  assert.not.match(told.text, /[\0-\x09\x0b-\x1f\x7f-\x9f]/)
})

report.run()
