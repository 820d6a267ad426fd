// What is shipped, by the names in package.json: the daemon and the kit for tests, joined into few files.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StatusError } from 'orch'
import { configMaps } from 'orch/generated/apis/core/v1/config-map'
import { StatusError as KernelStatusError } from 'orch/kernel/errors/status-error'
import { startControlPlane } from 'orch/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { runNode, runProgram, startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'
import { until } from '../support/until.ts'

const root = new URL('../../../', import.meta.url)

function command(name: string): string {
  const text = readFileSync(new URL('package.json', root), 'utf8')
  const { bin } = JSON.parse(text) as { readonly bin: Readonly<Record<string, string>> }
  return fileURLToPath(new URL(bin[name] ?? '', root))
}

const widgets = {
  metadata: { name: 'widgets.pack.example' },
  spec: {
    group: 'pack.example',
    scope: 'Cluster',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object' } },
      },
    ],
  },
}

const packed = suite('what is packed')

packed('an error of the kit is the StatusError of the public surface', async () => {
  await using plane = await startControlPlane()
  const { client } = plane
  const draft = { metadata: { name: 'settings', namespace: 'default' } }
  await client.resource(configMaps).create(draft)
  const error = await client
    .resource(configMaps)
    .create(draft)
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
  assert.instance(error, StatusError)
  assert.is((error as StatusError).reason, 'AlreadyExists')
})

packed('a module of the kernel is what the public surface exports of it', () => {
  assert.is(KernelStatusError, StatusError)
})

packed('the package itself loads no dependency, no server and no native module', async () => {
  const coverage = tempDirectory()
  const program = `await import('orch'); await import('orch/generated/apis/apps/v1/deployment')`
  const args = ['--input-type=module', '--eval', program]
  const cwd = fileURLToPath(root)
  const { code, stderr } = await runProgram(process.execPath, args, {
    cwd,
    env: { NODE_V8_COVERAGE: coverage },
  })
  assert.is(code, 0, stderr)
  const reports = readdirSync(coverage).map((file) => readFileSync(join(coverage, file), 'utf8'))
  assert.ok(reports.some((text) => text.includes('dist/packed/orch.js')))
  for (const text of reports) assert.not.match(text, /"url":"file:[^"]*(?:node_modules|apiserver)/)
})

packed('the daemon serves a schema document, reads YAML in its thread and stops', async () => {
  const running = await startProgram(command('orch-apiserver'), ['--insecure-port=0'])
  const { status } = await fetch(`${running.url}/openapi/v3/apis/apps/v1`)
  const data = Array.from({ length: 1000 }, (_, i) => `  key-${i}: value ${i}\n`).join('')
  const created = await fetch(`${running.url}/api/v1/namespaces/default/configmaps`, {
    method: 'POST',
    headers: { 'content-type': 'application/yaml' },
    body: `metadata:\n  name: long\ndata:\n${data}`,
  })
  const { data: kept } = (await created.json()) as { data: Record<string, string> }
  const code = await running.stop()
  assert.equal([status, created.status, kept['key-999'], code], [200, 201, 'value 999', 0])
})

packed(
  'what the daemon compiled, for definitions too, is kept when it stops, and the next one serves with it',
  async () => {
    const compiled = new URL('dist/packed/start-definitions.script.js.compiled', root)
    await rm(compiled, { force: true })
    for (const start of ['without', 'with']) {
      const running = await startProgram(command('orch-apiserver'), ['--insecure-port=0'])
      const url = `${running.url}/apis/apiextensions.orch.io/v1/customresourcedefinitions`
      const created = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(widgets),
      })
      assert.is(created.status, 201, await created.text())
      const widget = `${running.url}/apis/pack.example/v1/widgets`
      await until('widgets', async () => (await fetch(widget)).status === 200)
      assert.equal([start, await running.stop()], [start, 0])
      assert.ok(existsSync(compiled))
    }
  },
)

packed('the daemon names its version and its flags', async () => {
  const { stdout } = await runNode(command('orch-apiserver'), ['--version'])
  assert.match(stdout, /^orch-apiserver \d+\.\d+\.\d+\s*$/)
  const help = await runNode(command('orch-apiserver'), ['--help'])
  assert.match(help.stdout, '--insecure-port')
})

packed.run()
