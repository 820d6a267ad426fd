/** `orch apply` and `orch diff -f`, over a socket; sets are shared with kubectl. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { deployments } from '../../../generated/apis/apps/v1/deployment.ts'
import { jobs } from '../../../generated/apis/batch/v1/job.ts'
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
  assert.match(text, '--force-conflicts takes the fields')
  const told = await run(runDiffOfFiles, context, both)
  assert.is(told.code, 1)
  assert.match(
    told.text,
    '+ ConfigMap default/a\n~ ConfigMap default/b\n    refused without --force-conflicts: ',
  )
  assert.match(told.text, '    data.a: "theirs" -> "ours"  (them)')
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

test('a set is kept in a namespace that is made first, and every refused object is named', async (context) => {
  const space = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n---\n'
  const set = ['--applyset', 'shop', '--prune', '-n', 'shop'] as const
  const { code, text } = await run(runApply, context, map('a', 'x') + space, ...set)
  assert.is(code, 0, text)
  assert.is(text, 'Namespace shop created\nConfigMap shop/a created')
  const wrong = map('a_', 'x') + map('b_', 'x')
  const refused = await run(runApply, context, wrong, ...set)
  assert.is(refused.code, 1)
  assert.match(refused.text, /^orch apply: ConfigMap shop\/a_: .*\nConfigMap shop\/b_: .*$/s)
})

const boxes = `apiVersion: apiextensions.orch.io/v1
kind: CustomResourceDefinition
metadata: {name: boxes.shop.example.org}
spec:
  group: shop.example.org
  scope: Namespaced
  names: {plural: boxes, singular: box, kind: Box, listKind: BoxList}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, properties: {size: {type: integer}}}}
---
apiVersion: shop.example.org/v1
kind: Box
metadata: {name: a}
size: 3
`

test('a definition and objects of its kind are applied in one run, by a plan, too', async (context) => {
  const made = await run(runApply, context, boxes, '--dry-run')
  const title = 'CustomResourceDefinition boxes.shop.example.org'
  assert.is(made.text, `+ ${title}\n+ Box default/a`)
  const plan = join(context.folder, 'plan.json')
  assert.is((await run(runApply, context, boxes, '--plan-out', plan)).code, 0)
  const { code, text } = await run(runApply, context, '', '--plan', plan)
  assert.is(code, 0, text)
  assert.is(text, `${title} created\nBox default/a created`)
  const found = await context.plane.client.dynamic('boxes.shop.example.org')
  assert.is((await found.get('a')).size, 3)
  writeFileSync(plan, 'kind: Plan\n')
  const none = await run(runApply, context, '', '--plan', plan)
  assert.is(none.text, `orch apply: ${plan}: it is no plan of orch apply --plan-out`)
})

test('a job that is pruned takes its pods with it, and leaves no finalizer', async (context) => {
  const set = ['--applyset', 'shop', '--prune'] as const
  const job =
    'apiVersion: batch/v1\nkind: Job\nmetadata: {name: once}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: i}]}}}\n'
  await run(runApply, context, job, ...set)
  const { text } = await run(runApply, context, map('a', 'x'), ...set)
  assert.match(text, 'Job default/once deleted')
  assert.is(await context.plane.client.resource(jobs).find('once'), undefined)
})

test('a set that does not say which kinds it has is refused with the remedy', async (context) => {
  const set = ['--applyset', 'shop', '--prune'] as const
  const { client } = context.plane
  await run(runApply, context, map('a', 'x'), ...set)
  const key = (name: string) => `applyset.kubernetes.io/contains-group-${name}`
  const annotations = { [key('kinds')]: null, [key('resources')]: 'configmaps' }
  await client.resource(secrets).mergePatch('shop', { metadata: { annotations } } as never)
  const { code, text } = await run(runApply, context, map('b', 'x'), ...set)
  assert.is(code, 1)
  assert.match(text, 'apply the set once with a newer kubectl')
  assert.is(await client.resource(configMaps).find('b'), undefined)
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

  test('kubectl goes on with a set that orch began, and says the same of it', async (context) => {
    const { client } = context.plane
    const both = map('a', 'x') + map('b', 'x')
    const set = (name: string) => ['--applyset', name, '--prune'] as const
    await run(runApply, context, both, ...set('ours'))
    const flags = { KUBECTL_APPLYSET: 'true' }
    const cluster = kubectl(binary, context.orchconfig, context.folder, flags)
    const apply = (name: string) =>
      `apply --server-side --prune --applyset=${name} -n default --force-conflicts -f -`
    await cluster.ok(apply('ours'), map('b', 'x'))
    assert.is(await client.resource(configMaps).find('a'), undefined)
    const { code, text } = await run(runApply, context, map('c', 'x'), ...set('ours'))
    assert.is(code, 0, text)
    assert.match(text, 'ConfigMap default/b deleted')
    await cluster.ok(apply('theirs'), map('d', 'x'))
    const [ours, theirs] = await Promise.all(
      ['ours', 'theirs'].map(async (name) => {
        const { annotations = {} } = (await client.resource(secrets).get(name)).metadata
        const { 'applyset.kubernetes.io/tooling': tooling, ...rest } = annotations
        return { tooling: tooling?.replace(/\/.*/, ''), ...rest }
      }),
    )
    assert.equal(ours, theirs)
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
  const parent = await context.plane.client.resource(secrets).get('shop')
  const kinds = parent.metadata.annotations?.['applyset.kubernetes.io/contains-group-kinds']
  assert.is(kinds, 'ConfigMap')
})

test('an interrupted wait ends at once, and what was changed is as it was', async (context) => {
  const maps = context.plane.client.resource(configMaps)
  await run(runApply, context, map('a', 'x'))
  const theirs = await maps.create({ metadata: { name: 'theirs' }, data: { a: 'x' } })
  const stop = new AbortController()
  const command: typeof runApply = (terminal) => {
    const print = (line: string) => {
      terminal.print(line)
      if (line.includes(' waits: ')) stop.abort()
    }
    return runApply({ ...terminal, print }, stop.signal)
  }
  const pod =
    'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: i}]}\n'
  const flags = ['--wait', '--rollback-on-failure'] as const
  const { code, text } = await run(
    command,
    context,
    map('a', 'new') + map('theirs', 'x') + pod,
    ...flags,
  )
  assert.is(code, 1)
  assert.match(text, 'ConfigMap default/theirs unchanged')
  assert.match(text, 'orch apply: interrupted; what was changed is as it was')
  assert.is((await maps.get('a')).data?.a, 'x')
  const { managedFields } = (await maps.get('theirs')).metadata
  assert.equal(managedFields, theirs.metadata.managedFields)
})

test('a healthy object ends the wait', async (context) => {
  const { code, text } = await run(runApply, context, map('a', 'x'), '--wait')
  assert.is(code, 0)
  assert.match(text, 'ConfigMap default/a is healthy')
})

test.run()
