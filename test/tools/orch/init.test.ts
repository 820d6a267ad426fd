/** `orch init`: the repository that it makes builds, tests, and is in the operator's own words. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../../codegen/main.ts'
import { operatorFiles, pluralOf } from '../../../tools/orch/init.ts'
import { initRepository, installPackages } from '../../support/operator-repository.ts'
import { orchCommand, runProgram } from '../../support/orch.ts'

const tsc = join(packageRoot, 'node_modules/typescript-7/bin/tsc')

const test = suite('tools/orch: init')

test('a new repository generates, compiles as Node and as bundlers resolve, and passes its own tests', async () => {
  const { folder, code, text } = await initRepository(
    '--group',
    'web.example.com',
    '--kind',
    'WebPolicy',
  )
  assert.is(code, 0, text)
  assert.match(text, 'made website-operator, an operator for WebPolicy of web.example.com')
  installPackages(folder)
  const steps = [
    [orchCommand, 'generate', '--schemas', 'schemas', '--out', 'generated'],
    [tsc, '--skipLibCheck', 'false'],
    [
      tsc,
      '--noEmit',
      '--skipLibCheck',
      'false',
      '--module',
      'esnext',
      '--moduleResolution',
      'bundler',
    ],
    ['--test', 'dist/test/controller.test.js'],
  ]
  for (const step of steps) {
    const { code, stdout, stderr } = await runProgram(process.execPath, step, {
      cwd: folder,
      env: { NODE_TEST_CONTEXT: undefined },
    })
    assert.is(code, 0, `${step.join(' ')}:\n${stdout}${stderr}`)
  }
})

test('every word of the template becomes one of the operator', async () => {
  const names = {
    name: 'shop',
    group: 'shop.example.org',
    kind: 'OrderBatch',
    plural: 'orderbatches',
  }
  const files = await operatorFiles(names)
  assert.ok(files.has('schemas/shop/v1alpha1/order-batch.yaml'))
  assert.ok(files.has('.gitignore'))
  for (const [path, text] of files) assert.not.match(`${path}\n${text}`, /sample/i)
  const controller = files.get('src/controller.ts') ?? ''
  assert.match(
    controller,
    "import { orderBatches } from '../generated/apis/shop/v1alpha1/order-batch.ts'",
  )
  assert.match(controller, 'export const orderBatchController')
})

test('its packages have the versions that orch is tested with', async () => {
  const names = { name: 'a', group: 'a.example.com', kind: 'A', plural: 'as' }
  const own = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'))
  const manifestOf = async (orch?: string) =>
    JSON.parse((await operatorFiles(names, orch)).get('package.json') ?? '')
  const manifest = await manifestOf()
  assert.is(manifest.dependencies.orch, own.version)
  assert.is(manifest.devDependencies.typescript, own.devDependencies.typescript)
  assert.is((await manifestOf('file:../orch.tgz')).dependencies.orch, 'file:../orch.tgz')
})

test('a file that is there is never overwritten, and nothing else is written then', async () => {
  const args = ['--group', 'web.example.com', '--kind', 'Website']
  const { folder } = await initRepository(...args)
  const main = join(folder, 'src/main.ts')
  writeFileSync(main, 'mine')
  const again = await runProgram(process.execPath, [orchCommand, 'init', folder, ...args])
  assert.is(again.code, 1)
  assert.match(again.stderr, 'src/main.ts is there already; nothing written')
  assert.is(readFileSync(main, 'utf8'), 'mine')
})

const wrong: readonly (readonly [string, readonly string[], string])[] = [
  ['no group', ['--kind', 'Website'], '--group is needed: a group is a domain name'],
  [
    'a group without a dot',
    ['--group', 'apps', '--kind', 'Website'],
    '--group apps: a group is a domain',
  ],
  [
    'a kind in small letters',
    ['--group', 'a.example.com', '--kind', 'website'],
    '--kind website: a kind begins',
  ],
  [
    'a kind that leads elsewhere',
    ['--group', 'a.example.com', '--kind', '../A'],
    '--kind ../A: a kind',
  ],
  [
    'a plural in capitals',
    ['--group', 'a.example.com', '--kind', 'A', '--plural', 'As'],
    '--plural As: lower case',
  ],
  ['two folders', ['b', '--group', 'a.example.com', '--kind', 'A'], 'and 2 are given'],
]

for (const [what, args, message] of wrong) {
  test(`${what} is refused, with what would be right`, async () => {
    const { code, text } = await initRepository(...args)
    assert.is(code, 2)
    assert.match(text, message)
    assert.match(text, 'run orch init --help for an example')
  })
}

test('a plural is made as English makes most', () => {
  const plurals = ['website', 'policy', 'box', 'gateway', 'class', 'batch'].map(pluralOf)
  assert.equal(plurals, ['websites', 'policies', 'boxes', 'gateways', 'classes', 'batches'])
})

test.run()
