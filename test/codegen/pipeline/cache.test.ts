import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type GeneratorCache,
  noCache,
  noPreviousRun,
  openCache,
} from '../../../codegen/cache/cache.ts'
import { generate, generateInMemory, packageRoot } from '../../../codegen/main.ts'
import { run } from '../../../codegen/pipeline/pipeline.ts'
import { digest } from '../../../codegen/print/digest.ts'
import { digestsOf } from '../../../codegen/print/manifest.ts'
import { startPrinter } from '../../../codegen/print/printer.ts'
import { noDocumentCache } from '../../../codegen/schema/files/load.ts'
import type { Sources } from '../../../codegen/schema/files/sources.ts'
import { readApi } from '../../../codegen/schema/read.ts'
import { ownSources } from '../../support/definitions.ts'
import { tempDirectory } from '../../support/temp.ts'

const test = suite('codegen: cache')

const printer = startPrinter()
const root = tempDirectory()

/** A change of a schema text; a text that it does not fit stays as it is. */
type Edit = readonly [name: string, file: string, from: string | RegExp, to: string]

/** A user's project, whose runs keep a cache. */
function project() {
  const folder = mkdtempSync(join(root, 'project-'))
  cpSync(join(packageRoot, 'test/golden/site'), join(folder, 'schemas'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{}')
  return {
    folder,
    schemas: join(folder, 'schemas'),
    schema: join(folder, 'schemas/sites.example.com/v1/site.yaml'),
    out: join(folder, 'generated'),
  }
}

const first = project()
await generate({ schemas: first.schemas, out: first.out, check: false })
const kept = mkdtempSync(join(root, 'kept-'))
cpSync(first.folder, kept, { recursive: true })

/** The project as its first run left it: always in the same folder, for the cache is of that one. */
function generatedProject() {
  rmSync(first.folder, { recursive: true })
  cpSync(kept, first.folder, { recursive: true })
  return first
}

function textsIn(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  const paths = files.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name))
  return Object.fromEntries(paths.sort().map((path) => [path, readFileSync(path, 'utf8')]))
}

function withoutManifest(texts: Readonly<Record<string, string>>) {
  return Object.entries(texts).filter(([path]) => !path.endsWith('manifest.json'))
}

/** A cache that looks whole and is not true. */
function falsified(kept: string): string {
  const [head = '', ...lines] = kept.split('\n')
  const content = lines.join('\n').replace('Text of', 'Talk of')
  return `${head.replace(/\S+$/, digest(content))}\n${content}`
}

function lengthsOf(texts: Readonly<Record<string, string>>) {
  return Object.entries(texts).map(([path, text]) => [path, text.length])
}

const edits: readonly (readonly [from: RegExp, to: string])[] = [
  [/(description: )(\S)/, '$1More: $2'],
  [
    /\n {2}([A-Z]\w+):\n {4}description/,
    '\n  Other:\n    description: Another.\n    type: object\n\n  $1:\n    description',
  ],
  [/type: string/, 'type: boolean'],
  [/type: boolean/, 'type: string'],
  [/scope: Namespaced/, 'scope: Cluster'],
  [/shortNames: \[/, 'shortNames: [xx, '],
  [/plural: sites/, 'plural: places'],
]

test('after any edits the output is what a run without a cache makes', async () => {
  const { schemas, schema, out } = generatedProject()
  const first = readFileSync(schema, 'utf8')
  const index = fc.integer({ min: 0, max: edits.length - 1 })
  await fc.assert(
    fc.asyncProperty(fc.array(index, { minLength: 1, maxLength: 3 }), async (steps) => {
      for (const step of steps) {
        const [from, to] = edits[step] ?? [/$/, '']
        writeFileSync(schema, readFileSync(schema, 'utf8').replace(from, to))
        const { findings } = await generate({ schemas, out, check: false })
        if (findings.length > 0) writeFileSync(schema, first)
      }
      await generate({ schemas, out, check: false })
      const { files } = await generateInMemory({ schemas })
      const want = Object.fromEntries([...files].map(([path, text]) => [join(out, path), text]))
      assert.equal(textsIn(out), want)
    }),
    { numRuns: 3 },
  )
})

test('a file that somebody touched is mended', async () => {
  const { schemas, schema, out } = generatedProject()
  const want = withoutManifest(textsIn(out))
  appendFileSync(join(out, 'routes.ts'), '// touched\n')
  appendFileSync(schema, '# a comment changes nothing\n')
  await generate({ schemas, out, check: false })
  assert.equal(withoutManifest(textsIn(out)), want)
})

const damages: readonly (readonly [fact: string, damage: (bytes: Buffer) => Buffer | string])[] = [
  ['cut short', (bytes) => bytes.subarray(0, bytes.length / 2)],
  ['of one byte that changed', withOtherByte],
  ['of one description that changed', (bytes) => bytes.toString().replace('Text of', 'Talk of')],
  ['emptied', () => ''],
]

function withOtherByte(bytes: Buffer): Buffer {
  const at = Math.floor(bytes.length / 2)
  return bytes.fill(bytes[at] === 0x78 ? 'y' : 'x', at, at + 1)
}

for (const [fact, damage] of damages) {
  test(`a cache ${fact} is not used, and the next run keeps a new one`, async () => {
    const { folder, schemas, schema, out } = generatedProject()
    const want = withoutManifest(textsIn(out))
    const cache = join(folder, '.cache/orch')
    assert.is(readFileSync(join(folder, '.cache/.gitignore'), 'utf8'), '*\n')
    const [files, before] = [readdirSync(cache), textsIn(cache)]
    assert.is(files.length, 2)
    for (const file of files) {
      writeFileSync(join(cache, file), damage(readFileSync(join(cache, file))))
    }
    appendFileSync(schema, '# a comment changes nothing\n')
    await generate({ schemas, out, check: false })
    assert.equal(withoutManifest(textsIn(out)), want)
    assert.equal(lengthsOf(textsIn(cache)), lengthsOf(before))
  })
}

test('where nothing can be kept, the output is written all the same', async () => {
  const { folder, schemas, out } = project()
  writeFileSync(join(folder, '.cache'), 'a file where the folder should be')
  await generate({ schemas, out, check: false })
  assert.ok(existsSync(join(out, 'scheme.ts')))
})

test('a check does not look into the cache', async () => {
  const { folder, schemas, out } = project()
  const page = join(schemas, 'sites.example.com/v1/page.yaml')
  writeFileSync(page, 'group: sites.example.com\nversion: v1\ndefinitions: {}\n')
  await generate({ schemas, out, check: false })
  const cache = join(folder, '.cache/orch')
  for (const file of readdirSync(cache)) {
    if (file.endsWith('.units')) rmSync(join(cache, file))
    else writeFileSync(join(cache, file), falsified(readFileSync(join(cache, file), 'utf8')))
  }
  appendFileSync(page, '# a comment changes nothing\n')
  assert.equal((await generate({ schemas, out, check: true })).changed, ['manifest.json'])
})

test("what a run makes of orch's own schemas serves the first run of another project", async () => {
  const shared = join(mkdtempSync(join(root, 'shared-')), 'own')
  const pod = 'orch:api/core/v1/pod.yaml'
  const readBy = async (sources: Sources) => {
    const parsed: string[] = []
    const inputs = { generator: 'one', inputs: digestsOf(sources) }
    const cache = openCache(mkdtempSync(join(root, 'other-')), inputs, shared)
    const { api, files = new Map() } = readApi(
      sources,
      ({ file }) => file,
      (parse) =>
        cache.documents?.((file, ...rest) => {
          parsed.push(file)
          return parse(file, ...rest)
        }) ?? noDocumentCache,
    )
    assert.ok(api)
    await cache.save(noPreviousRun, files)
    return { parsed, text: JSON.stringify(api) }
  }
  const first = await readBy(ownSources)
  assert.ok(first.parsed.includes(pod))
  assert.equal(await readBy(ownSources), { parsed: [], text: first.text })
  const changed = new Map([...ownSources, [pod, `# a comment\n${ownSources.get(pod)}`]])
  assert.ok((await readBy(changed)).parsed.includes(pod))
})

test('nothing is kept about a folder that no project has', async () => {
  const folder = mkdtempSync(join(root, 'folder-'))
  const { schemas } = project()
  await generate({ schemas, out: join(folder, 'out'), check: false })
  assert.not(existsSync(join(folder, '.cache')))
})

const own: Sources = new Map(
  [...ownSources].map(([file, text]) => [file.replace(/^orch:/, ''), text]),
)

const ownEdits: readonly Edit[] = [
  [
    'a description',
    'api/coordination/v1.yaml',
    /description: Identity/,
    'description: The identity',
  ],
  ['a comment that moves all lines', 'api/core/v1/pod.yaml', /^/, '# a comment\n'],
  [
    'a list type',
    'api/core/v1/pod.yaml',
    /list-type: map\n.*map-keys.*\n.*accept-duplicates.*\n/,
    'list-type: atomic\n',
  ],
  ['a gate of a field', 'api/core/v1/container.yaml', /\n.*feature-gate: PodLifecycle.*/, ''],
  ['a short name', 'api/apps/v1/deployment.yaml', 'shortNames: [', 'shortNames: [dep, '],
  ['the brand', 'platform', /brand: \w+/, 'brand: other'],
]

test("after edits of orch's own schemas the output is what a run without a cache makes", async () => {
  const folder = mkdtempSync(join(root, 'folder-'))
  writeFileSync(join(folder, 'package.json'), '{}')
  const tree = (sources: Sources, cache: GeneratorCache, present: ReadonlyMap<string, string>) => {
    const tools = { cache, printer, present: (path: string) => present.get(path) }
    const layout = { inside: true, extension: '.ts' } as const
    return run({ sources, layout, external: 'orch/generated', ...tools })
  }
  const cacheOf = (sources: Sources) =>
    openCache(
      join(folder, 'out'),
      { generator: 'one', inputs: digestsOf(sources) },
      join(folder, 'shared'),
    )
  let sources = own
  let present = await tree(sources, cacheOf(sources), new Map())
  await present.save()
  for (const [name, file, from, to] of ownEdits) {
    const text = sources.get(file) ?? ''
    const changed = text.replace(from, to)
    assert.is.not(changed, text, `${name} changes ${file}`)
    sources = new Map([...sources, [file, changed]])
    present = await tree(sources, cacheOf(sources), present.files)
    assert.equal(present.findings, [], name)
    await present.save()
  }
  const full = await tree(sources, noCache, new Map())
  assert.equal([...present.files.keys()], [...full.files.keys()])
  for (const [path, text] of full.files) assert.is(present.files.get(path), text, path)
  assert.equal(present.digests, full.digests)
})

test.after(async () => {
  await printer.close()
})

test.run()
