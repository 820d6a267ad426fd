/** Broken files, each with the rules and positions of its findings, asserted in every format. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

const test = suite('tools/orch: broken files')
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const command = here('../../../tools/orch/main.js')
const golden = here('../../../../test/golden/validate/broken.txt')

/** A mark stands before the position of each finding, which the text that is checked does not have. */
const mark = '§'

interface Case {
  readonly file: string
  readonly text: string
  /** `file:line:column rule`, in the order of their positions. */
  readonly wanted: readonly string[]
}

function casesIn(text: string): readonly Case[] {
  return text
    .split(/^### /m)
    .slice(1)
    .map((part) => {
      const end = part.indexOf('\n')
      const [name = '', rules = ''] = part.slice(0, end).split(' | ')
      const marked = part.slice(end + 1)
      const places = placesIn(marked)
      const wanted = rules.split(', ').map((rule, index) => {
        const { line, column } = places[index] ?? { line: 0, column: 0 }
        return `${name}.yaml:${line}:${column} ${rule}`
      })
      return { file: `${name}.yaml`, text: marked.replaceAll(mark, ''), wanted }
    })
}

function placesIn(marked: string) {
  return marked.split('\n').flatMap((line, index) =>
    line
      .split(mark)
      .slice(0, -1)
      .map((_, at, parts) => ({
        line: index + 1,
        column: parts.slice(0, at + 1).join('').length + 1,
      })),
  )
}

const cases = casesIn(readFileSync(golden, 'utf8'))
const folder = mkdtempSync(join(tmpdir(), 'orch-broken-'))
const formats = ['text', 'json', 'ndjson', 'sarif', 'junit', 'tap', 'github', 'gitlab', 'markdown']
for (const { file, text } of cases) writeFileSync(join(folder, file), text)
const outputs = formats.flatMap((format) => ['-o', `${format}=${join(folder, `out.${format}`)}`])
const run = spawnSync(process.execPath, [command, 'validate', '*.yaml', ...outputs], {
  cwd: folder,
})
const reports = Object.fromEntries(
  formats.map((format) => [format, readFileSync(join(folder, `out.${format}`), 'utf8')]),
)
rmSync(folder, { recursive: true })

/** What each format says, as `file:line:column rule`. */
const readers: Readonly<Record<string, (text: string) => readonly string[]>> = {
  text: (text) => matches(text, /^(\S+:\d+:\d+): \w+: .*\[([a-z.-]+)\]$/gm),
  json: (text) => JSON.parse(text).findings.map(placeOf),
  ndjson: (text) =>
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => placeOf(JSON.parse(line))),
  sarif: (text) =>
    JSON.parse(text).runs[0].results.map(
      ({ ruleId, locations: [{ physicalLocation }] }: Sarif) =>
        `${physicalLocation.artifactLocation.uri}:${physicalLocation.region.startLine}:${physicalLocation.region.startColumn} ${ruleId}`,
    ),
  junit: (text) =>
    [
      ...text.matchAll(/name="([a-z.-]+)[^"]*">(?:<failure[^>]*>|<system-out>)(\S+:\d+:\d+): /g),
    ].map(([, rule, place]) => `${place} ${rule}`),
  tap: (text) => matches(text, /^ {4}- "(\S+:\d+:\d+): .*\[([a-z.-]+)\]"$/gm),
  github: (text) =>
    [...text.matchAll(/^::\w+ file=([^,]+),line=(\d+),col=(\d+),title=([a-z.-]+)::/gm)].map(
      ([, file, line, column, rule]) => `${file}:${line}:${column} ${rule}`,
    ),
  gitlab: (text) =>
    JSON.parse(text).map(
      ({ check_name, location: { path, positions } }: Gitlab) =>
        `${path}:${positions.begin.line}:${positions.begin.column} ${check_name}`,
    ),
  markdown: (text) => matches(text, /^\| (\S+:\d+:\d+) \| .* \| `([a-z.-]+)` \|$/gm),
}

interface Sarif {
  readonly ruleId: string
  readonly locations: readonly [
    {
      readonly physicalLocation: {
        readonly artifactLocation: { readonly uri: string }
        readonly region: { readonly startLine: number; readonly startColumn: number }
      }
    },
  ]
}

interface Gitlab {
  readonly check_name: string
  readonly location: {
    readonly path: string
    readonly positions: { readonly begin: { readonly line: number; readonly column: number } }
  }
}

interface Plain {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly rule: string
}

function placeOf({ file, line, column, rule }: Plain): string {
  return `${file}:${line}:${column} ${rule}`
}

function matches(text: string, form: RegExp): readonly string[] {
  return [...text.matchAll(form)].map(([, place, rule]) => `${place} ${rule}`)
}

test('there are at least 150 broken files, and the command says so', () => {
  assert.ok(cases.length >= 150, `${cases.length} files`)
  assert.is(run.status, 1, run.stderr.toString())
})

for (const format of formats) {
  test(`${format}: every finding of every file is at its place`, () => {
    const found = readers[format]?.(reports[format] ?? '') ?? []
    const wanted = cases.flatMap((one) => one.wanted)
    assert.equal([...found].sort(), [...wanted].sort())
  })
}

test.run()
