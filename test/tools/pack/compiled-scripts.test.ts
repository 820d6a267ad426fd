/** Scripts whose compiled form is kept: when it is used, and when not. */
import { readFileSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { runProgram } from '../../support/orch.ts'
import { tempDirectory } from '../../support/temp.ts'

const test = suite('tools/pack/compiled-scripts')

const built = (path: string) => new URL(`../../../${path}`, import.meta.url).href

const program = `
  import { keepCompiled, runScript } from '${built('tools/pack/compiled-scripts.js')}'
  import { collectEarly } from '${built('daemons/collection.js')}'
  const [url, quiet] = process.argv.slice(1)
  const modules = new Map([['./own.js', { added: (value) => value + 1 }]])
  const load = async (name) => ({ name })
  const { told } = runScript('start.script.js', { meta: { url }, modules, load })
  collectEarly()
  await keepCompiled()
  if (!quiet) console.log(await told())
  await keepCompiled(true)
`

const script = (value: number) => `(function (require, $meta, $import) {
  const own = require('./own.js')
  const { basename } = require('node:path')
  return {
    told: async () => [own.added(${value}), basename($meta.url), (await $import('./x.js')).name].join(' '),
  }
})`

/** A thread begins between the start of the process and its script, as in `orch validate`. */
const withThread = `
  import { once } from 'node:events'
  import { Worker } from 'node:worker_threads'
  import { keepCompiled, keepHeapSmall, runScript } from '${built('tools/pack/compiled-scripts.js')}'
  const [url] = process.argv.slice(1)
  keepHeapSmall()
  const thread = new Worker('', { eval: true })
  await once(thread, 'online')
  runScript('start.script.js', { meta: { url }, modules: new Map([['./own.js', {}]]) })
  keepHeapSmall()
  await keepCompiled()
`

/** What a process says that runs the script of a folder and keeps what was compiled. */
function run(folder: string, ...quiet: readonly string[]): Promise<string> {
  return runText(program, folder, ...quiet)
}

async function runText(text: string, folder: string, ...quiet: readonly string[]): Promise<string> {
  const url = pathToFileURL(join(folder, 'start.js')).href
  const args = ['--input-type=module', '--eval', text, url, ...quiet]
  const { code, stdout, stderr } = await runProgram(process.execPath, args)
  assert.is(code, 0, stderr)
  return stdout.trim()
}

function files(folder: string) {
  const file = join(folder, 'start.script.js')
  return { file, compiled: `${file}.compiled` }
}

test('a script has the modules that it shares, those of Node, and what only modules have', async () => {
  const folder = tempDirectory()
  writeFileSync(files(folder).file, script(1))
  assert.is(await run(folder), '2 start.js ./x.js')
})

test('what was compiled is kept, and taken by the next process under the flags of a server', async () => {
  const folder = tempDirectory()
  const { file, compiled } = files(folder)
  writeFileSync(file, script(1))
  await run(folder)
  utimesSync(compiled, 1, 1)
  assert.is(await run(folder), '2 start.js ./x.js')
  assert.is(statSync(compiled).mtimeMs, 1000, 'it was not taken, and made anew')
})

test('what was compiled is taken, too, where a thread has begun that changes the flags of the heap', async () => {
  const folder = tempDirectory()
  const { file, compiled } = files(folder)
  writeFileSync(file, script(1))
  await runText(withThread, folder)
  utimesSync(compiled, 1, 1)
  await runText(withThread, folder)
  assert.is(statSync(compiled).mtimeMs, 1000, 'it was not taken, and made anew')
})

test('at the end of a program the form gets what was called since, and loses nothing of it', async () => {
  const folder = tempDirectory()
  const { file, compiled } = files(folder)
  writeFileSync(file, script(1))
  await run(folder, 'quiet')
  const { size } = statSync(compiled)
  await run(folder)
  const more = statSync(compiled).size
  assert.ok(more > size, `${size} bytes became ${more}`)
  await run(folder, 'quiet')
  assert.is(statSync(compiled).size, more)
})

test('a compiled form that is damaged, or of another text of the same length, is made anew', async () => {
  const folder = tempDirectory()
  const { file, compiled } = files(folder)
  writeFileSync(file, script(1))
  await run(folder)
  const whole = readFileSync(compiled)
  truncateSync(compiled, whole.length >> 1)
  assert.is(await run(folder), '2 start.js ./x.js')
  assert.is(readFileSync(compiled).length, whole.length)
  writeFileSync(file, script(5))
  utimesSync(file, 1, 1)
  assert.is(await run(folder), '6 start.js ./x.js')
  assert.is(await run(folder), '6 start.js ./x.js')
})

test.run()
