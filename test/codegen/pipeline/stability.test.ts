import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parse, stringify } from 'yaml'
import { noCache } from '../../../codegen/cache/cache.ts'
import { packageRoot } from '../../../codegen/main.ts'
import { run } from '../../../codegen/pipeline/pipeline.ts'
import { startPrinter } from '../../../codegen/print/printer.ts'
import type { Sources } from '../../../codegen/schema/files/sources.ts'
import { ownSources } from '../../support/definitions.ts'
import { orchCommand, runProgram } from '../../support/orch.ts'
import { tempDirectory } from '../../support/temp.ts'

const test = suite('codegen: stability')

const layout = { inside: true, extension: '.ts' } as const
const sources: Sources = new Map(
  [...ownSources].map(([file, text]) => [file.replace(/^orch:/, ''), text]),
)

async function filesOf(from: Sources): Promise<ReadonlyMap<string, string>> {
  const printer = startPrinter()
  const tools = { cache: noCache, printer, present: () => undefined }
  const { files, findings } = await run({
    sources: from,
    layout,
    external: 'orch/generated',
    ...tools,
  })
  await printer.close()
  assert.equal(findings, [])
  return files
}

/** The same document with the keys of every mapping in the opposite order, those of `properties` and defaults apart. */
function reversed(value: unknown, keep: boolean): unknown {
  if (Array.isArray(value)) return value.map((each) => reversed(each, false))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, each]) => [
    key,
    key === 'default' ? each : reversed(each, key === 'properties' && !keep),
  ])
  return Object.fromEntries(keep ? entries : entries.reverse())
}

const want = await filesOf(sources)

test('a second run in one process gives the same bytes, in whatever order keys and files come', async () => {
  const shuffled = [...sources]
    .reverse()
    .map(([file, text]) => [file, stringify(reversed(parse(text), false))] as const)
  const got = await filesOf(new Map(shuffled))
  assert.equal([...got.keys()], [...want.keys()])
  for (const [path, text] of want) assert.is(got.get(path), text, path)
})

test('the language and the time zone of the machine do not show in the output', async () => {
  const example = join(packageRoot, 'examples/operator')
  const out = join(tempDirectory(), 'generated')
  // In Turkish, `i` and `I` are no pair; in Chatham, a day begins 13:45 hours earlier.
  const env = { LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8', TZ: 'Pacific/Chatham' }
  const args = [orchCommand, 'generate', '--schemas', join(example, 'schemas'), '--out', out]
  const { code, stderr } = await runProgram(process.execPath, args, { env })
  assert.is(code, 0, stderr)
  const files = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\.(ts|yaml)$/.test(path),
  )
  assert.ok(files.length > 5)
  for (const path of files) {
    const kept = readFileSync(join(example, 'generated', path), 'utf8')
    assert.is(readFileSync(join(out, path), 'utf8'), kept, path)
  }
})

test.run()
