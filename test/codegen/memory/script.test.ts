import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { noMemory } from '../../../codegen/memory/memory.ts'
import { type Loaded, loadPipeline } from '../../../codegen/memory/script.ts'
import { quickPrinter } from '../../../codegen/print/printer.ts'
import { ownSources } from '../../support/definitions.ts'
import { tempDirectory } from '../../support/temp.ts'

const test = suite('codegen/memory: script')

const modules = await import('../../../codegen/pipeline.ts')

/** The files of orch's own schemas as a user's tree that takes all types from orch. */
async function filesOf({ pipeline }: Loaded): Promise<ReadonlyMap<string, string>> {
  const printer = quickPrinter()
  const { files } = await pipeline.run({
    sources: ownSources,
    layout: { inside: false, extension: '.ts' },
    external: 'orch/generated',
    memory: noMemory,
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
  await first.keep()
  assert.ok(existsSync(file))
  const second = await loadPipeline(file, 'one')
  assert.is.not(second.pipeline.run, modules.run)
  const want = await filesOf(first)
  assert.equal([...(await filesOf(second))], [...want])
  await second.keep()
  assert.ok(existsSync(`${file}.compiled`))
  const third = await loadPipeline(file, 'one')
  assert.equal([...(await filesOf(third))], [...want])
})

test('a script of other code is not used, and replaced', async () => {
  const file = join(tempDirectory(), 'generator.cjs')
  await (await loadPipeline(file, 'one')).keep()
  await (await loadPipeline(file, 'one')).keep()
  const other = await loadPipeline(file, 'two')
  assert.is(other.pipeline.run, modules.run)
  await other.keep()
  const again = await loadPipeline(file, 'two')
  assert.is.not(again.pipeline.run, modules.run)
  await again.keep()
  assert.is((await loadPipeline(file, 'one')).pipeline.run, modules.run)
})

test('a compiled form that does not fit is done without', async () => {
  const file = join(tempDirectory(), 'generator.cjs')
  await (await loadPipeline(file, 'one')).keep()
  writeFileSync(`${file}.compiled`, '// one\nnot what the engine wrote')
  const loaded = await loadPipeline(file, 'one')
  assert.is.not(loaded.pipeline.run, modules.run)
  assert.ok((await filesOf(loaded)).size > 0)
})

test('where nothing can be written, the modules do', async () => {
  const taken = join(tempDirectory(), 'taken')
  writeFileSync(taken, 'a file where the folder should be')
  const loaded = await loadPipeline(join(taken, 'generator.cjs'), 'one')
  await loaded.keep()
  assert.is(loaded.pipeline.run, modules.run)
})

test.run()
