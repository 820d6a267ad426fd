import {
  appendFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { generate, generateInMemory, packageRoot } from '../../../codegen/main.ts'
import { type Memory, nothingPast } from '../../../codegen/memory/memory.ts'
import { run } from '../../../codegen/pipeline.ts'
import { startPrinter } from '../../../codegen/print/printer.ts'
import type { Sources } from '../../../codegen/schema/sources.ts'
import { ownSources } from '../../support/definitions.ts'
import { tempDirectory } from '../../support/temp.ts'

const test = suite('codegen: memory')

const printer = startPrinter()

/** A change of a schema text; a text that it does not fit stays as it is. */
type Edit = readonly [name: string, file: string, from: string | RegExp, to: string]

/** A user's project, whose runs remember. */
function project() {
  const folder = tempDirectory()
  cpSync(join(packageRoot, 'test/golden/site'), join(folder, 'schemas'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{}')
  return {
    folder,
    schemas: join(folder, 'schemas'),
    schema: join(folder, 'schemas/sites.example.com/v1/site.yaml'),
    out: join(folder, 'generated'),
  }
}

function textsIn(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  const paths = files.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name))
  return Object.fromEntries(paths.sort().map((path) => [path, readFileSync(path, 'utf8')]))
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

test('after any edits the output is what a run without memory makes', async () => {
  const { schemas, schema, out } = project()
  await generate({ schemas, out, check: false })
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

test('a file that somebody touched, and a memory that is damaged, are mended', async () => {
  const { folder, schemas, schema, out } = project()
  await generate({ schemas, out, check: false })
  const want = textsIn(out)
  const cache = join(folder, '.cache/orch')
  assert.is(readFileSync(join(folder, '.cache/.gitignore'), 'utf8'), '*\n')
  appendFileSync(join(out, 'routes.ts'), '// touched\n')
  for (const file of readdirSync(cache)) {
    const text = readFileSync(join(cache, file), 'utf8')
    writeFileSync(join(cache, file), text.slice(0, text.length / 2))
  }
  appendFileSync(schema, '# a comment changes nothing\n')
  await generate({ schemas, out, check: false })
  assert.equal(
    { ...textsIn(out), [join(out, 'manifest.json')]: '' },
    { ...want, [join(out, 'manifest.json')]: '' },
  )
})

test('nothing is kept about a folder that no project has', async () => {
  const folder = tempDirectory()
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
  ['a list type', 'api/core/v1/pod.yaml', /list-type: map\n.*map-keys.*\n/, 'list-type: atomic\n'],
  ['a gate of a field', 'api/core/v1/container.yaml', /\n.*feature-gate: PodLifecycle.*/, ''],
  ['a short name', 'api/apps/v1/deployment.yaml', 'shortNames: [', 'shortNames: [dep, '],
  ['the brand', 'platform', /brand: \w+/, 'brand: other'],
]

test("after edits of orch's own schemas the output is what a run without memory makes", async () => {
  const tree = async (sources: Sources, memory: Memory, present: ReadonlyMap<string, string>) => {
    const tools = { memory, printer, present: (path: string) => present.get(path) }
    const layout = { inside: true, extension: '.ts' } as const
    return run({ sources, layout, external: 'orch/generated', ...tools })
  }
  const parsed = new Map<string, ReturnType<Parameters<Memory['parse']>[1]>>()
  const memory: { -readonly [K in keyof Memory]: Memory[K] } = {
    past: nothingPast,
    parse:
      (platform, otherwise) =>
      (file, source, ...rest) => {
        const key = [platform, file, source].join('\n')
        if (!parsed.has(key)) parsed.set(key, otherwise(file, source, ...rest))
        return parsed.get(key)
      },
    keep: async (past) => {
      memory.past = past
    },
  }
  let sources = own
  let present = await tree(sources, memory, new Map())
  await present.keep()
  for (const [name, file, from, to] of ownEdits) {
    const text = sources.get(file) ?? ''
    const changed = text.replace(from, to)
    assert.is.not(changed, text, `${name} changes ${file}`)
    sources = new Map([...sources, [file, changed]])
    present = await tree(sources, memory, present.files)
    assert.equal(present.findings, [], name)
    await present.keep()
  }
  const full = await tree(sources, { ...memory, past: nothingPast }, new Map())
  assert.equal([...present.files.keys()], [...full.files.keys()])
  for (const [path, text] of full.files) assert.is(present.files.get(path), text, path)
  assert.equal(present.digests, full.digests)
})

test.after(async () => {
  await printer.close()
})

test.run()
