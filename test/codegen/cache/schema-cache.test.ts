import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openSchemaCache } from '../../../codegen/cache/schema-cache.ts'
import { digestsOf } from '../../../codegen/print/manifest.ts'
import { unchangedFiles } from '../../../codegen/schema/build/unchanged-files.ts'
import type { OpenDocumentCache } from '../../../codegen/schema/files/load.ts'
import type { Sources } from '../../../codegen/schema/files/sources.ts'
import { type ReadResult, readApi } from '../../../codegen/schema/read.ts'
import { ownSources, sourcesWith } from '../../support/definitions.ts'

const test = suite('codegen/cache: schemas')

/** They lean on each other: by a field, a struct that is inlined, an alias, a rule further down, a flag's field. */
const files: Readonly<Record<string, string>> = {
  'demo/site.yaml': `
group: demo.example.com
version: v1
definitions:
  Site:
    description: A site.
    type: object
    x-orch-kind: { plural: sites, immutable: [spec.part.label], columns: [] }
    properties:
      metadata: { $ref: "orch:meta/v1/object-meta.yaml#/definitions/ObjectMeta", x-orch-proto: 1 }
      spec:
        type: object
        x-orch-proto: 2
        properties:
          part: { $ref: "part.yaml#/definitions/Part", x-orch-proto: 1 }
          name: { $ref: "words.yaml#/definitions/Word", default: one, x-orch-proto: 2 }
        x-orch-validations: [{ rule: "!has(self.part) || !has(self.part.size)", message: no size }]
`,
  'demo/part.yaml': `
group: demo.example.com
version: v1
definitions:
  Part:
    description: A part.
    type: object
    allOf: [{ $ref: "base.yaml#/definitions/Base" }]
    properties:
      label: { $ref: "words.yaml#/definitions/Name", x-orch-proto: 1 }
      items:
        type: array
        maxItems: 9
        x-orch-list-type: map
        x-orch-list-map-keys: [key]
        x-orch-proto: 2
        items: { $ref: "base.yaml#/definitions/Item" }
`,
  'demo/base.yaml': `
group: demo.example.com
version: v1
definitions:
  Base:
    description: A base.
    type: object
    properties:
      size: { type: integer, format: int32, x-orch-proto: 7 }
    x-orch-validations: [{ rule: "!has(self.size) || self.size > 1", message: must be more than one }]
  Item:
    description: An item.
    type: object
    required: [key]
    properties:
      key: { type: string, maxLength: 9, x-orch-proto: 1 }
`,
  'demo/words.yaml': `
group: demo.example.com
version: v1
definitions:
  Name: { $ref: "#/definitions/Word" }
  Word: { description: A word., type: string, enum: [one, two] }
`,
  'config/demo.yaml': `
group: config.demo.example.com
version: v1
definitions:
  DemoConfiguration:
    description: What the demo is told.
    type: object
    x-orch-kind: {}
    properties:
      word: { $ref: "../demo/words.yaml#/definitions/Word", default: one, description: A word. }
      size: { type: integer, format: int32, default: 7, description: A size. }
`,
  'flags/demo.yaml': `
daemon: demo
description: A demo.
config: "../config/demo.yaml#/definitions/DemoConfiguration"
sections:
  - name: General
    options:
      - { flag: word, field: word }
      - { flag: size, field: size }
      - { flag: old, type: bool, default: false, description: An old flag., replacement: word }
`,
}

/** Some are right and some are not; many only matter in a file that the edited one knows nothing of. */
const edits: readonly (readonly [from: RegExp, to: string])[] = [
  [/description: An? /, 'description: One more '],
  [/^/, '# a comment\n'],
  [/label:/, 'tag:'],
  [/tag:/, 'label:'],
  [/key:/, 'id:'],
  [/\[key\]/, '[id]'],
  [/enum: \[one, /, 'enum: [three, '],
  [/default: one/, 'default: three'],
  [/size: \{ type: integer, format: int32/, 'size: { type: string'],
  [/size:/, 'height:'],
  [/self\.size > 1/, 'self.size > 2'],
  [/type: string, enum/, 'type: integer, enum'],
  [/ Item:/, ' Entry:'],
  [/definitions\/Item/, 'definitions/Entry'],
  [/plural: sites/, 'plural: Sites'],
  [/x-orch-proto: 7/, 'x-orch-proto: 1'],
  [/items: \{ \$ref: .*\}/, 'items: { type: string }'],
  [/default: 7/, 'default: 8'],
  [/size: \{/, 'length: {'],
  [/flag: word/, 'flag: words'],
  [/daemon: demo/, 'daemon: demon'],
  [/definitions:/, 'definitions: {'],
  [/^(.|\n)*/, ''],
]

const common = sourcesWith('', 'demo/site.yaml')

function sourcesOf(texts: Readonly<Record<string, string>>): Sources {
  const given = Object.entries(texts).filter(([, text]) => text !== '')
  return new Map([...[...common].filter(([file]) => file !== 'demo/site.yaml'), ...given])
}

const external = () => 'orch'

/** Reads the sources with the help of what was kept; what is to be kept then is undefined if something is wrong. */
function readCached(kept: string, sources: Sources): { reading: ReadResult; keep?: string } {
  const cache = openSchemaCache(kept, digestsOf(sources), new WeakMap())
  const reading = readApi(sources, external, cache.documents)
  return reading.files ? { reading, keep: cache.print(reading.files) ?? kept } : { reading }
}

function plain({ api, findings }: ReadResult) {
  return JSON.parse(JSON.stringify({ api, findings }))
}

test('after any edits, what is read is what is read without a cache, findings included', () => {
  const names = Object.keys(files)
  const file = fc.constantFrom(...names)
  const edit = fc.constantFrom(...edits)
  const steps = fc.array(fc.tuple(file, edit), { minLength: 1, maxLength: 8 })
  const outcomes = { sound: 0, wrong: 0 }
  fc.assert(
    fc.property(steps, fc.boolean(), (changes, back) => {
      let texts = files
      let kept = readCached('', sourcesOf(texts)).keep ?? ''
      for (const [name, [from, to]] of changes) {
        const before = texts
        texts = { ...texts, [name]: (texts[name] ?? '').replace(from, to) }
        const sources = sourcesOf(texts)
        const { reading, keep } = readCached(kept, sources)
        assert.equal(plain(reading), plain(readApi(sources, external)))
        outcomes[keep === undefined ? 'wrong' : 'sound']++
        kept = keep ?? kept
        if (keep === undefined && back) texts = before
      }
    }),
    { numRuns: 60 },
  )
  assert.ok(outcomes.sound > 20 && outcomes.wrong > 20, JSON.stringify(outcomes))
})

test('of one file that changed only that file is parsed', () => {
  const kept = readCached('', sourcesOf(files)).keep ?? ''
  const site = files['demo/site.yaml']?.replace('A site.', 'One site.') ?? ''
  const sources = sourcesOf({ ...files, 'demo/site.yaml': site })
  const parsed: string[] = []
  const { documents: recall } = openSchemaCache(kept, digestsOf(sources), new WeakMap())
  const noting: OpenDocumentCache = (otherwise) =>
    recall((file, ...rest) => {
      parsed.push(file)
      return otherwise(file, ...rest)
    })
  assert.equal(readApi(sources, external, noting).findings, [])
  assert.equal(parsed, ['demo/site.yaml'])
})

test('types of files that did not change, nor anything they refer to, are not built again', () => {
  const kept = readCached('', sourcesOf(files)).keep ?? ''
  const site = files['demo/site.yaml']?.replace('A site.', 'One site.') ?? ''
  const sources = sourcesOf({ ...files, 'demo/site.yaml': site })
  const { documents: recall } = openSchemaCache(kept, digestsOf(sources), new WeakMap())
  let known: object | undefined
  const noting: OpenDocumentCache = (otherwise) => {
    const recalled = recall(otherwise)
    const built = recalled.builtFile('demo/part.yaml')
    known = built?.is === 'types' ? built.definitions[0]?.types[0] : undefined
    return recalled
  }
  const { api } = readApi(sources, external, noting)
  assert.is.not(known, undefined)
  assert.is(
    api?.types.find(({ id }) => id === 'demo/v1.Part'),
    known,
  )
})

test('a type that another file makes the body of a subresource no more is checked as what it is', () => {
  const order = `
group: demo.example.com
version: v1
definitions:
  Order:
    description: An order.
    type: object
    x-orch-kind: {}
    properties:
      metadata: { $ref: "orch:meta/v1/object-meta.yaml#/definitions/ObjectMeta", x-orch-proto: 1 }
    x-orch-validations: [{ rule: "self.kind != ''", message: must have a kind }]
`
  const site = files['demo/site.yaml'] ?? ''
  const withBody = site.replace('columns: []', 'subresources: { order: { kind: Order } }')
  const sources = (text: string) =>
    sourcesOf({ ...files, 'demo/order.yaml': order, 'demo/site.yaml': text })
  const { keep = '' } = readCached('', sources(withBody))
  assert.is.not(keep, '')
  const { findings } = readCached(keep, sources(site)).reading
  assert.equal(findings, readApi(sources(site), external).findings)
  assert.equal(
    findings.map(({ message }) => message),
    ["undefined field 'kind'"],
  )
})

test('nothing that changed nothing is kept again', () => {
  const kept = readCached('', sourcesOf(files)).keep ?? ''
  const cache = openSchemaCache(kept, digestsOf(sourcesOf(files)), new WeakMap())
  const { files: parts } = readApi(sourcesOf(files), external, cache.documents)
  assert.is(cache.print(parts ?? new Map()), undefined)
})

test("what becomes of orch's own files is the same when it is read back", () => {
  const { files: parts = new Map() } = readApi(ownSources, external)
  assert.ok(parts.size > 100)
  for (const [file, each] of parts) {
    assert.equal(JSON.parse(JSON.stringify(each)), withoutPositions(each), file)
  }
})

/** The value without the functions that find places inside texts, which findings need and nothing else. */
function withoutPositions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPositions)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([key]) => key !== 'positionOf')
  return Object.fromEntries(entries.map(([key, each]) => [key, withoutPositions(each)]))
}

const refs = new Map([
  ['a.yaml', ['b.yaml']],
  ['b.yaml', ['orch:c.yaml']],
  ['c.yaml', []],
  ['d.yaml', ['d.yaml']],
])

const stale: readonly (readonly [fact: string, changed: readonly string[], asBefore: string])[] = [
  ['nothing', [], 'a.yaml b.yaml c.yaml d.yaml'],
  ['a file that nobody refers to', ['a.yaml'], 'b.yaml c.yaml d.yaml'],
  ['a file that others lead to', ['c.yaml'], 'd.yaml'],
  ['a file of the same name in the other root', ['orch:c.yaml'], 'c.yaml d.yaml'],
  ['a file that refers to itself', ['d.yaml'], 'a.yaml b.yaml c.yaml'],
  ['the flags', ['flags/server.yaml'], 'a.yaml b.yaml c.yaml d.yaml'],
  ['the markers', ['orch:markers.yaml'], ''],
  ['the gates', ['features.yaml'], ''],
  ['a type of the machinery', ['meta/v1/object-meta.yaml'], ''],
]

for (const [fact, changed, want] of stale) {
  test(`when ${fact} changed, files that do not follow from it are as before`, () => {
    assert.is([...unchangedFiles(refs, changed)].join(' '), want)
  })
}

test.run()
