import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { noCache } from '../../../codegen/cache/cache.ts'
import { readCacheFile, writeCacheFile } from '../../../codegen/cache/cache-file.ts'
import { type LoadedPipeline, loadPipeline } from '../../../codegen/pipeline/bundled-pipeline.ts'
import { digest } from '../../../codegen/print/digest.ts'
import { quickPrinter } from '../../../codegen/print/printer.ts'
import { ownSources } from '../../support/definitions.ts'
import { tempDirectory } from '../../support/temp.ts'

const test = suite('codegen/cache: script')

const modules = await import('../../../codegen/pipeline/pipeline.ts')

/** The files of orch's own schemas as a user's tree that takes all types from orch. */
async function filesOf({ pipeline }: LoadedPipeline): Promise<ReadonlyMap<string, string>> {
  const printer = quickPrinter()
  const { files } = await pipeline.run({
    sources: ownSources,
    layout: { inside: false, extension: '.ts' },
    external: 'orch/generated',
    cache: noCache,
    printer,
    present: () => undefined,
  })
  await printer.close()
  return files
}

test('the first run loads the modules and leaves a script, the third also its compiled form', async () => {
  const file = join(tempDirectory(), 'cache/generator.cjs')
  const first = await loadPipeline(file, 'one')
  assert.is(first.pipeline.run, modules.run)
  await first.save()
  assert.ok(existsSync(file))
  const second = await loadPipeline(file, 'one')
  assert.is.not(second.pipeline.run, modules.run)
  const want = await filesOf(first)
  assert.equal([...(await filesOf(second))], [...want])
  await second.save()
  assert.ok(existsSync(`${file}.compiled`))
  const third = await loadPipeline(file, 'one')
  assert.equal([...(await filesOf(third))], [...want])
})

test('a script of other code is not used, and replaced', async () => {
  const file = join(tempDirectory(), 'generator.cjs')
  await (await loadPipeline(file, 'one')).save()
  await (await loadPipeline(file, 'one')).save()
  const other = await loadPipeline(file, 'two')
  assert.is(other.pipeline.run, modules.run)
  await other.save()
  const again = await loadPipeline(file, 'two')
  assert.is.not(again.pipeline.run, modules.run)
  await again.save()
  assert.is((await loadPipeline(file, 'one')).pipeline.run, modules.run)
})

/** Leaves a script and its compiled form. */
async function keptScript(): Promise<string> {
  const file = join(tempDirectory(), 'generator.cjs')
  await (await loadPipeline(file, 'one')).save()
  await (await loadPipeline(file, 'one')).save()
  return file
}

/** Loads and keeps in a process of its own: an engine remembers what it has compiled. */
function runOf(file: string): Promise<unknown[]> {
  const load = `import('${new URL('../../../codegen/pipeline/bundled-pipeline.js', import.meta.url)}')
    .then(({ loadPipeline }) => loadPipeline(process.argv[1], 'one')).then(({ save }) => save())`
  return once(spawn(process.execPath, ['--input-type=module', '-e', load, file]), 'close')
}

for (const [fact, damage] of [
  ['cut short', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
  ['of bytes that changed', (bytes: Buffer) => bytes.fill('xy', 999, 1001)],
] as const) {
  test(`a script ${fact} is not run, and replaced`, async () => {
    const file = await keptScript()
    const whole = readFileSync(file)
    writeFileSync(file, damage(readFileSync(file)))
    const loaded = await loadPipeline(file, 'one')
    assert.is(loaded.pipeline.run, modules.run)
    await loaded.save()
    assert.ok(readFileSync(file).equals(whole))
  })

  test(`a compiled form ${fact} is done without, and replaced`, async () => {
    const file = await keptScript()
    const compiled = `${file}.compiled`
    const { length } = readFileSync(compiled)
    writeFileSync(compiled, damage(readFileSync(compiled)))
    const damaged = readFileSync(compiled)
    const loaded = await loadPipeline(file, 'one')
    assert.is.not(loaded.pipeline.run, modules.run)
    assert.ok((await filesOf(loaded)).size > 0)
    await loaded.save()
    assert.not(readFileSync(compiled).equals(damaged))
    assert.ok(readFileSync(compiled).length > length / 2)
  })
}

test("another engine's compiled form is done without, and replaced", async () => {
  const file = await keptScript()
  const compiled = `${file}.compiled`
  const mark = digest(readCacheFile(file, 'one') ?? '')
  const other = Buffer.from(readCacheFile(compiled, mark) ?? '')
  const versionAt = 4
  other.writeUInt8(other.readUInt8(versionAt) ^ 1, versionAt)
  await writeCacheFile(compiled, mark, other)
  assert.equal(await runOf(file), [0, null])
  const again = readCacheFile(compiled, mark)
  assert.ok(again !== undefined && !again.equals(other))
})

test('runs at once leave one whole script', async () => {
  const file = join(tempDirectory(), 'generator.cjs')
  const runs = Array.from({ length: 3 }, () => runOf(file))
  assert.equal(await Promise.all(runs), Array(3).fill([0, null]))
  assert.equal(readdirSync(dirname(file)), ['generator.cjs'])
  assert.is.not((await loadPipeline(file, 'one')).pipeline.run, modules.run)
})

test('of many scripts in one folder the newest stay', async () => {
  const folder = tempDirectory()
  for (let i = 0; i < 20; i++) {
    const name = `generator-${String(i).padStart(2, '0')}.cjs`
    for (const file of [name, `${name}.compiled`]) {
      writeFileSync(join(folder, file), '')
      utimesSync(join(folder, file), i, i)
    }
  }
  writeFileSync(join(folder, 'of-another.cjs'), '')
  await (await loadPipeline(join(folder, 'generator-own.cjs'), 'one')).save()
  const left = readdirSync(folder).filter((name) => name.startsWith('generator-'))
  const scripts = left.filter((name) => name.endsWith('.cjs'))
  assert.is(scripts.length, 16)
  assert.is(scripts[0], 'generator-05.cjs')
  assert.ok(scripts.includes('generator-own.cjs'))
  assert.is(left.length, 31)
  assert.ok(existsSync(join(folder, 'of-another.cjs')))
})

test('where nothing can be written, the modules do', async () => {
  const taken = join(tempDirectory(), 'taken')
  writeFileSync(taken, 'a file where the folder should be')
  const loaded = await loadPipeline(join(taken, 'generator.cjs'), 'one')
  await loaded.save()
  assert.is(loaded.pipeline.run, modules.run)
})

test.run()
