import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../codegen/main.ts'
import { namespaces } from '../../generated/apis/core/v1/namespace.ts'
import { connect, loadConfig } from '../../runtime/connection/connection.ts'
import { orchCommand, runNode, runProgram, startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'

const orch = suite<{ folder: string }>('tools/orch')

const base = tempDirectory()
orch.before.each((context) => {
  context.folder = mkdtempSync(join(base, 'test-'))
})

orch('help names every command', async () => {
  const { code, stdout } = await runNode(orchCommand, ['--help'])
  assert.is(code, 0)
  for (const name of ['up', 'generate', 'version'])
    assert.match(stdout, new RegExp(`^ {2}${name} `, 'm'))
})

orch('an unknown command is refused and the nearest one named', async () => {
  const { code, stderr } = await runNode(orchCommand, ['upp'])
  assert.is(code, 1)
  assert.match(stderr, 'unknown command: upp, did you mean up?')
})

orch('the version is the one of the package', async () => {
  const { stdout } = await runNode(orchCommand, ['version'])
  assert.match(stdout, /^orch \d+\.\d+\.\d+\n$/)
})

orch(
  'generate --check of a clean tree loads no compiler, no server and no YAML parser',
  async ({ folder }) => {
    const coverage = join(folder, 'coverage')
    const env = { NODE_V8_COVERAGE: coverage }
    const args = [orchCommand, 'generate', '--check']
    const { code, stderr } = await runProgram(process.execPath, args, { env, cwd: packageRoot })
    assert.is(code, 0, stderr)
    const reports = readdirSync(coverage).map((file) => readFileSync(join(coverage, file), 'utf8'))
    assert.ok(reports.some((text) => text.includes('codegen/main.js')))
    for (const text of reports)
      assert.not.match(text, /node_modules\/(koa|knex|esbuild|ts-morph|pino|yaml)\//)
  },
)

orch('up: an unknown flag is refused and the nearest one named', async () => {
  const { code, stderr } = await runNode(orchCommand, ['up', '--prot', '1'])
  assert.is(code, 1)
  assert.match(stderr, 'orch up: unknown flag: --prot, did you mean --port?')
})

orch(
  'up: serves, writes an orchconfig for its owner only, and stops with exit code 0',
  async ({ folder }) => {
    const running = await startProgram(orchCommand, ['up'], folder)
    const file = join(folder, '.orch/orchconfig')
    assert.match(running.greeting, `export KUBECONFIG=${file} ORCHCONFIG=${file}`)
    assert.match(running.greeting, /\nready https:\/\/127\.0\.0\.1:\d+\n$/)
    assert.is((await loadConfig(file)).server, running.url)
    assert.is((await stat(file)).mode & 0o777, 0o600)
    const client = await connect(file)
    assert.is((await client.resource(namespaces).get('default')).metadata.name, 'default')
    await client.close()
    assert.is(await running.stop('SIGINT'), 0)
  },
)

orch(
  'up: a data directory keeps objects over a restart, an orchconfig file stands where one asks',
  async ({ folder }) => {
    const data = join(folder, 'data')
    const file = join(folder, 'my config')
    const args = ['up', '--data-dir', data, '--orchconfig', file, '--insecure-port', '0']
    const first = await startProgram(orchCommand, args, folder)
    assert.match(first.greeting, `export KUBECONFIG='${file}'`)
    const made = await fetch(`${first.insecureUrl}/api/v1/namespaces`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kept' } }),
    })
    assert.is(made.status, 201)
    assert.is(await first.stop(), 0)

    const second = await startProgram(orchCommand, args, folder)
    assert.is((await fetch(`${second.insecureUrl}/api/v1/namespaces/kept`)).status, 200)
    assert.match(await readFile(file, 'utf8'), second.url)
    assert.is(await second.stop(), 0)
  },
)

orch('up: a second one on the same data directory is refused and says why', async ({ folder }) => {
  const first = await startProgram(orchCommand, ['up', '--data-dir', folder], folder)
  const second = await runNode(orchCommand, ['up', '--data-dir', folder], folder)
  assert.is(second.code, 1)
  assert.match(second.stderr, 'store.db')
  assert.is(await first.stop(), 0)
})

orch('up: a port that is taken is refused and says what to do', async ({ folder }) => {
  const first = await startProgram(orchCommand, ['up'], folder)
  const port = new URL(first.url).port
  const { code, stderr } = await runNode(
    orchCommand,
    ['up', '--port', port, '--orchconfig', 'x'],
    folder,
  )
  assert.is(code, 1)
  assert.match(stderr, `port ${port} of 127.0.0.1 is taken`)
  assert.is(await first.stop(), 0)
})

orch(
  'up: schema files that are wrong are shown with their place, and nothing starts',
  async ({ folder }) => {
    await writeFile(join(folder, 'platform.yaml'), 'names:\n  brand: x\n')
    const { code, stderr } = await runNode(
      orchCommand,
      ['up', '--platform', join(folder, 'platform.yaml')],
      folder,
    )
    assert.is(code, 1)
    assert.match(stderr, /platform\.yaml:\d+:\d+: /)
  },
)

orch.run()
