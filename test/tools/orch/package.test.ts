/** `orch package`: what it writes, what it leaves alone, and that a server takes it. */
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { packageRoot } from '../../../codegen/main.ts'
import { startControlPlane } from '../../../runtime/testing/control-plane.ts'
import { compiledScheme } from '../../../tools/orch/compiled-scheme.ts'
import { runPackage } from '../../../tools/orch/package.ts'
import { hangFlag } from '../../support/deadline.ts'
import { defaultKubectl, kubectl } from '../../support/kubectl.ts'
import { initRepository, installPackages } from '../../support/operator-repository.ts'
import { orchCommand, runHere, runProgram } from '../../support/orch.ts'
import { tempDirectory } from '../../support/temp.ts'

const test = suite('tools/orch: package')

const built = fileURLToPath(new URL('../../../examples/operator/', import.meta.url))
const controllers = join(built, 'controller.js')
const schemas = join(packageRoot, 'examples/operator/schemas')
const golden = join(packageRoot, 'test/golden/package')
const tsc = join(packageRoot, 'node_modules/typescript-7/bin/tsc')
const image = 'registry.example.com/website-operator:v1'
const operator = ['--controllers', controllers, '--schemas', schemas, '--image', image]

const run = (...args: readonly string[]) => runHere(runPackage, args)

for (const format of ['plain', 'kustomize']) {
  test(`the ${format} package of an operator is as it was reviewed`, async () => {
    const out = tempDirectory()
    const { code, text } = await run(...operator, '--format', format, '--out', out)
    assert.is(code, 0, text)
    const reviewed = join(golden, format)
    assert.equal(readdirSync(out).sort(), readdirSync(reviewed).sort())
    for (const name of readdirSync(out)) {
      assert.is(readFileSync(join(out, name), 'utf8'), readFileSync(join(reviewed, name), 'utf8'))
    }
  })
}

test('the image of a new operator has what its Dockerfile copies, and starts as it says', async () => {
  const { folder } = await initRepository('--group', 'web.example.com', '--kind', 'Website')
  installPackages(folder)
  const inFolder = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await runProgram(process.execPath, args, { cwd: folder })
    assert.is(code, 0, `${args.join(' ')}:\n${stdout}${stderr}`)
  }
  const made = ['--controllers', 'dist/src/controller.js', '--schemas', 'schemas', '--image', image]
  await inFolder(orchCommand, 'generate', '--schemas', 'schemas', '--out', 'generated')
  await inFolder(tsc)
  await inFolder(orchCommand, 'package', ...made, '--out', 'deploy')
  const text = readFileSync(join(folder, 'deploy/Dockerfile'), 'utf8')
  const copies = [...text.matchAll(/^COPY --from=build \/operator\/(\S+) \.\/(\S*)$/gm)]
  assert.is(copies.length, 3)
  const root = tempDirectory()
  for (const [, from = '', to = ''] of copies)
    symlinkSync(join(folder, from), join(root, to || from))
  const [, entry = ''] = /^ENTRYPOINT (.*)$/m.exec(text) ?? []
  const [command = '', ...args] = JSON.parse(entry) as readonly string[]
  assert.is(command, 'node')
  const env = { HOME: root, ORCHCONFIG: undefined, KUBECONFIG: undefined }
  const { stdout, stderr } = await runProgram(process.execPath, args, { cwd: root, env })
  assert.match(stdout + stderr, 'no orchconfig: neither ORCHCONFIG nor KUBECONFIG is set')
  const ignored = readFileSync(join(folder, 'deploy/Dockerfile.dockerignore'), 'utf8')
  for (const [, from = ''] of copies.slice(1)) assert.match(ignored, `\n${from}\n`)
})

test('alerts come from what the schemas declare of conditions', async () => {
  const out = tempDirectory()
  const { code, text } = await run(...operator, '--alerts', 'rules', '--out', out)
  assert.is(code, 0, text)
  const { groups } = parse(readFileSync(join(out, 'alerts.rules'), 'utf8'))
  const [{ name, rules }] = groups
  assert.is(name, 'websites.web.example.com')
  assert.is(rules[0].alert, 'WebsiteNotReady')
  const series = 'controller_overdue_conditions{kind="Website",condition="Ready"}'
  assert.is(rules[0].expr, `max by (kind, condition, reason) (${series}) > 0`)
  assert.match(rules[0].annotations.description, 'Starting: Fewer servers answer than are wanted.')
  const kustomize = [...operator, '--format', 'kustomize', '--alerts', 'prometheus-rule']
  const other = tempDirectory()
  await run(...kustomize, '--out', other)
  const rule = parse(readFileSync(join(other, 'alerts.yaml'), 'utf8'))
  assert.is(rule.kind, 'PrometheusRule')
  assert.equal(rule.spec.groups, groups)
  assert.match(readFileSync(join(other, 'kustomization.yaml'), 'utf8'), '- alerts.yaml')
  const wrong = await run(...operator, '--alerts', 'rule', '--out', out)
  assert.equal([wrong.code, wrong.text], [2, 'orch package: --alerts rule: did you mean rules?'])
})

test('a check says what differs, and changes nothing', async () => {
  const out = tempDirectory()
  cpSync(join(golden, 'plain'), out, { recursive: true })
  const current = [...operator, '--out', out, '--check']
  const before = await run(...current)
  assert.equal([before.code, before.text], [0, ''])
  const { code, text } = await run(...current, '--replicas', '2')
  assert.is(code, 1)
  assert.match(text, /- {2}replicas: 1\n\+ {2}replicas: 2/)
  assert.match(text, '1 file out of date; run it again without --check')
  const after = await run(...current)
  assert.equal([after.code, after.text], [0, ''])
})

test('another format removes what the first one wrote, and nothing else', async () => {
  const out = tempDirectory()
  cpSync(join(golden, 'kustomize'), out, { recursive: true })
  writeFileSync(join(out, 'notes.txt'), 'mine')
  assert.is((await run(...operator, '--out', out)).code, 0)
  assert.equal(readdirSync(out).sort(), [
    'Dockerfile',
    'Dockerfile.dockerignore',
    'notes.txt',
    'website-operator.yaml',
  ])
})

test('a file that the command did not write is not overwritten', async () => {
  const out = tempDirectory()
  writeFileSync(join(out, 'Dockerfile'), 'FROM scratch\n')
  const { code, text } = await run(...operator, '--out', out)
  assert.is(code, 1)
  assert.match(text, /not overwriting what orch package did not write: .*Dockerfile/)
  assert.not.ok(existsSync(join(out, 'website-operator.yaml')))
})

test('rights of one namespace are a Role, and no events and no leases ask for less', async () => {
  const out = tempDirectory()
  const less = ['--namespaced', '--no-events', '--no-leader-election', '--namespace', 'shop']
  assert.is((await run(...operator, ...less, '--out', out)).code, 0)
  const text = readFileSync(join(out, 'website-operator.yaml'), 'utf8')
  assert.not.match(text, 'ClusterRole')
  assert.not.match(text, 'leases')
  assert.not.match(text, 'events')
  assert.match(text, /kind: Role\nmetadata:\n {2}name: website-operator\n {2}namespace: shop/)
  assert.match(text, 'type: Recreate')
})

test('copies that share their keys may keep, and delete, a lease for each shard', async () => {
  const out = tempDirectory()
  assert.is((await run(...operator, '--sharding', '--replicas', '3', '--out', out)).code, 0)
  const text = readFileSync(join(out, 'website-operator.yaml'), 'utf8')
  const rule = /resources:\n +- leases\n +verbs:((?:\n +- \w+)+)/.exec(text)?.[1] ?? ''
  const verbs = rule.match(/\w+/g)
  assert.equal(verbs, ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'])
  assert.match(text, 'replicas: 3')
  assert.not.match(text, 'type: Recreate')
})

test('webhooks alone are packaged: their configurations, their certificate, what they read, and not the kind they are for', async () => {
  const out = tempDirectory()
  const file = join(out, 'webhooks.mjs')
  const kind = (plural: string) =>
    JSON.stringify({ group: 'policy.orch.io', version: 'v1', kind: 'X', plural, scope: 'Cluster' })
  writeFileSync(
    file,
    `export const hook = { name: 'x.y.example.com', for: ${kind('xs')}, reads: [${kind('ys')}],
      operations: ['DELETE'], failurePolicy: 'Ignore', validate() {} }`,
  )
  const image = ['--image', 'example.com/hooks:v1', '--no-events', '--no-leader-election']
  const { code, text } = await run('--controllers', file, ...image, '--out', join(out, 'deploy'))
  assert.is(code, 0, text)
  const manifests = readFileSync(join(out, 'deploy/hooks.yaml'), 'utf8')
  assert.not.match(manifests, 'MutatingWebhookConfiguration')
  assert.match(manifests, /kind: ValidatingWebhookConfiguration\nmetadata:\n {2}name: hooks/)
  assert.match(
    manifests,
    /- DELETE\n +resources:\n +- xs\n +scope: Cluster\n +failurePolicy: Ignore/,
  )
  assert.match(manifests, /- policy.k8s.io\n +resources:\n +- ys\n +verbs:\n +- get\n +- list/)
  assert.match(manifests, /- validatingwebhookconfigurations\n +verbs:\n +- get\n +- patch/)
  assert.match(manifests, /- secrets\n/)
  assert.not.match(manifests, /resources:\n +- xs\n +verbs/)
})

const binary = defaultKubectl()
if (binary === undefined) {
  console.log(
    'SKIP package: there is no kubectl in PATH (Debian: apt-get install kubernetes-client)',
  )
} else {
  for (const [flag, folder] of [
    ['-f', 'plain/website-operator.yaml'],
    ['-k', 'kustomize'],
  ]) {
    test(`a server takes the package by kubectl apply ${flag}, and serves its kind`, async () => {
      const platform = join(packageRoot, 'schemas/platform/kubernetes.yaml')
      const scheme = await compiledScheme({ platform }, console.error)
      assert.ok(scheme)
      await using plane = await startControlPlane({ scheme, socket: true })
      const home = tempDirectory()
      const orchconfig = join(home, 'orchconfig')
      writeFileSync(orchconfig, plane.orchconfig ?? '')
      const ctl = kubectl(binary, orchconfig, home)
      const applied = await ctl.ok(`apply ${flag} ${join(golden, folder as string)}`)
      assert.match(applied, 'deployment.apps/website-operator created')
      assert.match(applied, 'clusterrolebinding.rbac.authorization.k8s.io/website-operator created')
      await ctl.ok(`wait --for=condition=Established crd/websites.web.example.com ${hangFlag}`)
      assert.is(await ctl.ok('get websites'), '')
      const again = await ctl.ok(`apply ${flag} ${join(golden, folder as string)}`)
      for (const line of again.trim().split('\n')) assert.match(line, / unchanged$/)
    })
  }
}

const wrong: readonly [args: readonly string[], code: number, message: RegExp][] = [
  [[], 2, /--controllers is needed/],
  [['--controllers', controllers], 2, /--image is needed/],
  [['--controllers', controllers, '--image', image], 2, /--out is needed/],
  [[...operator, '--out', 'a', '--format', 'kustomise'], 2, /did you mean kustomize\?/],
  [[...operator, '--out', 'a', '--health-port', '80'], 2, /expected a port from 1024 to 65535/],
  [[...operator, '--out', 'a', '--name', 'My_Operator'], 2, /--name My_Operator: expected lower/],
  [[...operator, '--out', 'a', '--replicas', '2', '--no-leader-election'], 2, /only one may work/],
  [['--controllers', 'none.js', '--image', image, '--out', 'a'], 1, /none.js: /],
  [
    ['--controllers', join(built, 'site.js'), '--image', image, '--out', 'a'],
    1,
    /exports no controller and no webhook; it exports renderPages, serverSpec, statusOf/,
  ],
  [
    ['--controllers', controllers, '--schemas', 'no', '--image', image, '--out', 'a'],
    1,
    /no: no such/,
  ],
]

for (const [args, code, message] of wrong) {
  test(`wrong: ${message.source}`, async () => {
    const outcome = await run(...args)
    assert.is(outcome.code, code, outcome.text)
    assert.match(outcome.text, message)
  })
}

test.run()
