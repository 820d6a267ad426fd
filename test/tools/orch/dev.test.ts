/** `orch dev`: server and operator follow what is saved; what is wrong leaves the last state running. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Client, connect, dynamicKind } from '../../../runtime/runtime.ts'
import { initRepository, installPackages } from '../../support/operator-repository.ts'
import { orchCommand, runProgram } from '../../support/orch.ts'
import { assertRejects } from '../../support/rejects.ts'
import { until } from '../../support/until.ts'

interface Dev {
  folder: string
  process: ChildProcess
  client: Client
  /** Waits for a line after those that were waited for before. */
  printed: (pattern: RegExp) => Promise<string>
  /** Waits for a line that may stand before those: what is an error comes by another pipe than what is said of it. */
  said: (pattern: RegExp) => Promise<unknown>
}

const test = suite<Dev>('tools/orch: dev')

/** Any kind of the operator: its schema changes meanwhile. */
const websites = dynamicKind({
  group: 'web.example.com',
  version: 'v1alpha1',
  kind: 'Website',
  plural: 'websites',
  scope: 'Namespaced',
})

test.before(async (context) => {
  const { folder } = await initRepository('--group', 'web.example.com', '--kind', 'Website')
  installPackages(folder)
  const child = spawn(process.execPath, [orchCommand, 'dev'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let all = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
      all += text
    })
  }
  Object.assign(context, { folder, process: child })
  context.said = (pattern) => until(`${pattern} in the output of orch dev`, () => pattern.test(all))
  context.printed = async (pattern) => {
    const found = await until(`${pattern} in the output of orch dev`, () => {
      if (child.exitCode !== null) throw new Error(`orch dev ended:\n${output}`)
      return pattern.exec(output) ?? undefined
    })
    output = output.slice(found.index + found[0].length)
    return found[0]
  }
  await context.printed(/files generated, serving at \S+, operator started/)
  await context.printed(/operator is ready/)
  context.client = await connect(join(folder, '.orch/orchconfig'))
})

test.after(async ({ process, client }) => {
  await client.close()
  const ended = once(process, 'close')
  process.kill('SIGTERM')
  assert.equal(await ended, [0, null])
})

const [schema, controller] = ['schemas/web/v1alpha1/website.yaml', 'src/controller.ts']

/** Saves a file of the repository with another text in it. */
function save({ folder }: Dev, file: string, before: string, after: string): void {
  const path = join(folder, file)
  const text = readFileSync(path, 'utf8')
  assert.match(text, before)
  writeFileSync(path, text.replace(before, after))
}

const site = (name: string, text: string) => ({ metadata: { name }, spec: { text } })

test('the operator works on what the server keeps', async ({ client }) => {
  await client.resource(websites).create(site('first', 'Hello'))
  await until('a status', async () => (await client.resource(websites).get('first')).status)
})

test('a mistake in a schema file is shown at its place, and the last kinds are served', async (context) => {
  save(context, schema, 'maxLength: 1000', 'maxLength: many')
  await context.said(/website\.yaml:\d+:\d+: .*\n.*maxLength: many/)
  await context.printed(/1 mistake in schemas: what was served before goes on/)
  await context.client.resource(websites).create(site('second', 'x'.repeat(100)))
})

test('a schema file that is right again is served, and objects stay', async (context) => {
  save(context, schema, 'maxLength: many', 'maxLength: 50')
  await context.printed(/files? generated, serving at /)
  const { client } = context
  const long = client.resource(websites).create(site('third', 'x'.repeat(51)))
  await assertRejects(long, 'Invalid')
  assert.is((await client.resource(websites).get('second')).metadata.name, 'second')
})

test('a wrong type is shown at its place, and the program that has it runs', async (context) => {
  await context.said(/types are right/)
  save(context, controller, 'return done', 'const n: number = "x"\n    void n\n    return done')
  await context.said(/controller\.ts\(\d+,\d+\): error TS2322/)
  await context.printed(/1 type error: what runs goes on/)
  save(context, controller, 'const n: number = "x"\n    void n\n    return done', 'return done')
  await context.printed(/types are right/)
})

test('a program that does not build is shown, and the last one goes on', async (context) => {
  save(context, controller, 'return done', 'retrn done')
  await context.said(/controller\.ts:\d+:\d+/)
  await context.printed(/the operator does not build: the last one goes on/)
})

test('a program that is another one is started again', async (context) => {
  save(context, controller, 'the text is kept', 'kept')
  save(context, controller, 'retrn done', 'return done')
  await context.printed(/operator started/)
  const { client } = context
  await client.resource(websites).create(site('fourth', 'Hello'))
  const status = await until(
    'a status',
    async () => (await client.resource(websites).get('fourth')).status,
  )
  assert.is(status.conditions[0].message, 'kept')
})

test('a program that ends is told with its code', async (context) => {
  save(context, controller, 'return done', 'process.exit(3)\n    return done')
  await context.printed(/operator started/)
  await context.printed(/the operator ended with 3; it starts again when a file is saved/)
})

test('a folder that is not there is refused before anything starts', async ({ folder }) => {
  const args = [orchCommand, 'dev', '--schemas', 'none', '--port', 'x']
  const { code, stderr } = await runProgram(process.execPath, args, { cwd: folder })
  assert.is(code, 2)
  assert.match(stderr, 'orch dev: --schemas none: there is no such folder')
  assert.match(stderr, 'orch dev: --port x: a port is a number from 0 to 65535')
})

test('without the SQLite driver objects are in memory, and a line says so', async () => {
  const { folder } = await initRepository('--group', 'web.example.com', '--kind', 'Website')
  installPackages(folder)
  rmSync(join(folder, 'src'), { recursive: true })
  const hook = `export const resolve = (name, context, next) => {
    if (name === 'sqlite3') throw new Error('not installed')
    return next(name, context)
  }`
  const url = `data:text/javascript,${encodeURIComponent(hook)}`
  const file = join(folder, 'hook.mjs')
  writeFileSync(file, `import { register } from 'node:module'\nregister(${JSON.stringify(url)})\n`)
  const child = spawn(process.execPath, ['--import', file, orchCommand, 'dev'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  await until('a line about memory', () => {
    if (child.exitCode !== null) throw new Error(`orch dev ended:\n${output}`)
    return /serving at \S+, objects are in memory until kinds change/.test(output) || undefined
  })
  const client = await connect(join(folder, '.orch/orchconfig'))
  await client.resource(websites).create(site('first', 'Hello'))
  await client.close()
  const ended = once(child, 'close')
  child.kill('SIGTERM')
  assert.equal(await ended, [0, null])
})

test.run()
