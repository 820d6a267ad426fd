/** `orch apply` and `orch diff -f`, over a socket; sets are shared with kubectl. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { deployments } from '../../../generated/apis/apps/v1/deployment.ts'
import { configMaps } from '../../../generated/apis/core/v1/config-map.ts'
import { secrets } from '../../../generated/apis/core/v1/secret.ts'
import { type ControlPlane, startControlPlane } from '../../../runtime/testing/testing.ts'
import { runApply, runDiffOfFiles } from '../../../tools/orch/apply.ts'
import { defaultKubectl, kubectl } from '../../support/kubectl.ts'
import { tempDirectory } from '../../support/temp.ts'

interface Context {
  plane: ControlPlane
  folder: string
  orchconfig: string
}

const test = suite<Context>('tools/orch: apply')

test.before.each(async (context) => {
  context.plane = await startControlPlane({ socket: true })
  context.folder = tempDirectory()
  context.orchconfig = join(context.folder, 'orchconfig')
  writeFileSync(context.orchconfig, context.plane.orchconfig ?? '')
})
test.after.each(({ plane }) => plane.stop())

async function run(
  command: typeof runApply,
  { orchconfig, folder }: Context,
  text: string,
  ...args: readonly string[]
) {
  const file = join(folder, 'objects.yaml')
  if (text !== '') writeFileSync(file, text)
  const out: string[] = []
  const terminal = {
    args: [...(text === '' ? [] : ['-f', file]), ...args, '--orchconfig', orchconfig],
    width: 100,
    print: (line: string) => out.push(line),
    printError: (line: string) => out.push(line),
  }
  const code = await command(terminal as never)
  return { code, text: out.join('\n') }
}

const map = (name: string, value: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {a: ${value}}\n---\n`

test('what changes is told with whose it is now, and applied once', async (context) => {
  const maps = context.plane.client.resource(configMaps)
  assert.equal(await run(runDiffOfFiles, context, map('a', 'x')), {
    code: 1,
    text: '+ ConfigMap default/a',
  })
  assert.is((await run(runApply, context, map('a', 'x'))).text, 'ConfigMap default/a created')
  assert.equal(await run(runDiffOfFiles, context, map('a', 'x')), {
    code: 0,
    text: 'nothing changes',
  })
  assert.is((await run(runApply, context, map('a', 'x'))).text, 'ConfigMap default/a unchanged')
  const changed = await run(runDiffOfFiles, context, map('a', 'new'))
  assert.is(changed.text, '~ ConfigMap default/a\n    data.a: "x" -> "new"  (orch)')
  assert.is((await maps.get('a')).data?.a, 'x')
})

test('a field of another manager is refused before anything is written', async (context) => {
  const maps = context.plane.client.resource(configMaps)
  await maps.apply({ metadata: { name: 'b' }, data: { a: 'theirs' } }, { manager: 'them' })
  const both = map('a', 'x') + map('b', 'ours')
  const { code, text } = await run(runApply, context, both)
  assert.is(code, 1)
  assert.match(text, 'conflict with "them"')
  assert.is(await maps.find('a'), undefined)
  assert.is((await run(runDiffOfFiles, context, both)).code, 2)
  assert.is((await run(runApply, context, both, '--force-conflicts')).code, 0)
  assert.is((await maps.get('b')).data?.a, 'ours')
})

test('a set loses what no file has any more, and nothing else', async (context) => {
  const { client } = context.plane
  const set = ['--applyset', 'shop', '--prune'] as const
  await client.resource(configMaps).create({ metadata: { name: 'other' } })
  await run(runApply, context, map('a', 'x') + map('b', 'x'), ...set)
  const { text } = await run(runApply, context, map('a', 'x'), ...set)
  assert.match(text, 'ConfigMap default/b deleted')
  const names = []
  for await (const one of client.resource(configMaps).in('default').list())
    names.push(one.metadata.name)
  assert.equal(
    names.filter((name) => name !== 'kube-root-ca.crt'),
    ['a', 'other'],
  )
  const parent = await client.resource(secrets).get('shop')
  assert.is(
    parent.metadata.annotations?.['applyset.kubernetes.io/contains-group-kinds'],
    'ConfigMap',
  )
  assert.is((await run(runApply, context, map('a', 'x'), '--prune')).code, 2)
})

const binary = defaultKubectl()
if (binary === undefined) console.log('SKIP sets shared with kubectl: kubectl is not installed')
else {
  test('a set that kubectl made is pruned, and kubectl prunes it afterwards', async (context) => {
    const { client } = context.plane
    const flags = { KUBECTL_APPLYSET: 'true' }
    const cluster = kubectl(binary, context.orchconfig, context.folder, flags)
    const apply = 'apply --server-side --prune --applyset=shop -n default -f -'
    await cluster.ok(apply, map('a', 'x') + map('b', 'x'))
    const ours = await run(
      runApply,
      context,
      map('b', 'x') + map('c', 'x'),
      '--force-conflicts',
      ...['--applyset', 'shop', '--prune'],
    )
    assert.is(ours.code, 0, ours.text)
    assert.match(ours.text, 'ConfigMap default/a deleted')
    await cluster.ok(`${apply} --force-conflicts`, map('b', 'x'))
    assert.is(await client.resource(configMaps).find('c'), undefined)
    assert.is((await client.resource(configMaps).get('b')).data?.a, 'x')
  })
}

test('a plan is applied as it was reviewed, and refused if the world moved', async (context) => {
  const maps = context.plane.client.resource(configMaps)
  const plan = join(context.folder, 'plan.json')
  await run(runApply, context, map('a', 'x'))
  const made = await run(runApply, context, map('a', 'new') + map('b', 'z'), '--plan-out', plan)
  assert.match(made.text, 'data.a: "x" -> "new"')
  assert.is((await maps.get('a')).data?.a, 'x')
  await maps.mergePatch('a', { data: { other: 'field' } })
  const refused = await run(runApply, context, '', '--plan', plan)
  assert.is(refused.code, 1)
  assert.match(refused.text, 'the world moved: ConfigMap default/a was at')
  assert.is(await maps.find('b'), undefined)
  await run(runApply, context, map('a', 'new') + map('b', 'z'), '--plan-out', plan)
  assert.is((await run(runApply, context, '', '--plan', plan)).code, 0)
  assert.is((await maps.get('a')).data?.a, 'new')
  assert.is((await maps.get('b')).data?.a, 'z')
})

test('what was changed is as it was, managers too, if a wait fails', async (context) => {
  const maps = context.plane.client.resource(configMaps)
  await run(runApply, context, map('a', 'x') + map('gone', 'x'), '--applyset', 'shop')
  const before = await maps.get('a')
  const job =
    'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: w}\nspec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: i}]}}}\n'
  const flags = ['--applyset', 'shop', '--prune', '--wait', '--timeout', '1'] as const
  const { code, text } = await run(
    runApply,
    context,
    map('a', 'new') + map('fresh', 'x') + job,
    ...flags,
    '--rollback-on-failure',
  )
  assert.is(code, 1, text)
  assert.match(text, 'Deployment default/w waits: its controller has not seen it')
  assert.match(text, 'what was changed is as it was')
  const after = await maps.get('a')
  assert.equal(after.data, before.data)
  const managers = (one: typeof after) =>
    one.metadata.managedFields?.map(({ manager, operation }) => [manager, operation])
  assert.equal(managers(after), managers(before))
  assert.is(await maps.find('fresh'), undefined)
  assert.is((await maps.get('gone')).data?.a, 'x')
  assert.is(await context.plane.client.resource(deployments).find('w'), undefined)
})

test('a healthy object ends the wait', async (context) => {
  const { code, text } = await run(runApply, context, map('a', 'x'), '--wait')
  assert.is(code, 0)
  assert.match(text, 'ConfigMap default/a is healthy')
})

test.run()
