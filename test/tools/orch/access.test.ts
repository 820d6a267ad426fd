/** `orch who-can`, `orch access` and `orch why-denied`: rights, told over a client. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../generated/scheme.ts'
import { type ControlPlane, startControlPlane } from '../../../runtime/testing/testing.ts'
import { runAccess } from '../../../tools/orch/access/access.ts'
import { runWhoCan } from '../../../tools/orch/access/who-can.ts'
import { runWhyDenied } from '../../../tools/orch/access/why-denied.ts'
import { runHere } from '../../support/orch.ts'
import { tempDirectory } from '../../support/temp.ts'

interface Context {
  readonly plane: ControlPlane
  readonly orchconfig: string
}

const test = suite<Context>('tools/orch: commands about rights')

const group = 'rbac.authorization.orch.io'
const resourceOf = (plane: ControlPlane, plural: string) =>
  plane.client.resource(scheme.routes[`apis/${group}/v1/${plural}`]!)

test.before(async (context) => {
  const plane = await startControlPlane({ socket: true })
  const orchconfig = join(tempDirectory(), 'orchconfig')
  writeFileSync(orchconfig, plane.orchconfig ?? '')
  Object.assign(context, { plane, orchconfig })
  const rules = [
    { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] },
    { verbs: ['get'], nonResourceURLs: ['/metrics'] },
  ]
  await resourceOf(plane, 'clusterroles').create({ metadata: { name: 'reader' }, rules } as never)
  const roleRef = { apiGroup: group, kind: 'ClusterRole', name: 'reader' }
  const robot = { kind: 'ServiceAccount', name: 'robot', namespace: 'shop' }
  const all = {
    metadata: { name: 'all' },
    roleRef,
    subjects: [{ kind: 'Group', name: 'dev' }, robot],
  }
  await resourceOf(plane, 'clusterrolebindings').create(all as never)
  const here = {
    metadata: { name: 'here', namespace: 'default' },
    roleRef,
    subjects: [{ kind: 'User', name: 'jane' }],
  }
  await resourceOf(plane, 'rolebindings').create(here as never)
})
test.after(async ({ plane }) => {
  await plane.stop()
})

test('who-can tells users, groups and accounts with their bindings', async ({ orchconfig }) => {
  const ask = (...words: string[]) => runHere(runWhoCan, [...words, '--orchconfig', orchconfig])
  assert.is(
    (await ask('get', 'pods', '-n', 'default')).text,
    [
      'KIND             NAME         THROUGH                    ROLE',
      'Group            dev          ClusterRoleBinding/all     reader',
      'ServiceAccount   shop/robot   ClusterRoleBinding/all     reader',
      'User             jane         RoleBinding/default/here   reader',
    ].join('\n'),
  )
  assert.is(JSON.parse((await ask('list', 'po', '-o', 'json')).text).length, 2)
  assert.match((await ask('get', '/metrics')).text, /Group {12}dev/)
  assert.is((await ask('delete', 'pods')).text, 'none')
  const unknown = await ask('get', 'nothing')
  assert.is(unknown.code, 1)
  assert.is((await ask('get')).code, 2)
})

test('access tells what a user may do, and through what', async ({ orchconfig }) => {
  const ask = (...words: string[]) => runHere(runAccess, [...words, '--orchconfig', orchconfig])
  assert.match(
    (await ask('jane')).text,
    /^default +get,list +pods +\* +RoleBinding\/default\/here +reader$/m,
  )
  const robot = JSON.parse(
    (await ask('system:serviceaccount:shop:robot', '-o', 'json')).text,
  ) as object[]
  assert.equal(robot[1], {
    namespace: '*',
    verbs: 'get',
    resources: '/metrics',
    names: '*',
    through: 'ClusterRoleBinding/all',
    role: 'reader',
  })
  assert.match(
    (await ask('bob', '--group', 'dev', '-o', 'yaml')).text,
    /^- namespace: "\*"\n {2}verbs: "get,list"$/m,
  )
  assert.is((await ask()).code, 0)
})

test('why-denied tells the smallest rule, of a record and of a question', async ({
  orchconfig,
}) => {
  const log = join(tempDirectory(), 'audit.log')
  const annotations = {
    'authorization.orch.io/decision': 'forbid',
    'authorization.orch.io/reason': '',
    'authorization.orch.io/missing-rule': '{APIGroups:[""], Resources:["pods"], Verbs:["list"]}',
  }
  const record = {
    auditID: 'a',
    verb: 'list',
    requestURI: '/api/v1/pods',
    user: { username: 'jane' },
    annotations,
  }
  writeFileSync(log, `${JSON.stringify(record)}\nnonsense\n{"annotations":{}}\n`)
  const read = JSON.parse(
    (await runHere(runWhyDenied, ['--audit-log', log, '-o', 'json'])).text,
  ) as object[]
  assert.equal(read, [
    {
      id: 'a',
      user: 'jane',
      request: 'list /api/v1/pods',
      reason: '',
      rule: annotations['authorization.orch.io/missing-rule'],
    },
  ])
  assert.is((await runHere(runWhyDenied, ['--audit-log', log, 'b'])).text, 'none')
  const asked = await runHere(runWhyDenied, [
    'delete',
    'pods',
    'web',
    '--as',
    'jane',
    '-o',
    'json',
    '--orchconfig',
    orchconfig,
  ])
  assert.equal(JSON.parse(asked.text), [{ user: 'jane', allowed: 'yes', reason: '', rule: '' }])
  assert.is((await runHere(runWhyDenied, ['delete', 'pods'])).code, 2)
})

test('each says how it is called', async () => {
  for (const command of [runWhoCan, runAccess, runWhyDenied]) {
    const { code, text } = await runHere(command, ['--help'])
    assert.is(code, 0)
    assert.match(text, /Usage:\n {2}orch /)
  }
})

test.run()
