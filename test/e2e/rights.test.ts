/** What kubectl says and does as four users, under both sets of names: `auth can-i`, `auth reconcile`, refusals (A5.1, A5.2, Z-01, Z-14, Z-15). */
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../codegen/main.ts'
import { scheme as ownScheme } from '../../generated/scheme.ts'
import type { RunningApiServer } from '../../runtime/apiserver/apiserver.ts'
import type { Scheme } from '../../runtime/kernel/descriptors/scheme.ts'
import { compiledScheme } from '../../tools/orch/compiled-scheme.ts'
import { defaultKubectl, type Kubectl } from '../support/kubectl.ts'
import { startTokenServer, type TokenServer } from '../support/token-server.ts'

const tokens = `root-token,root,1,"system:masters"
admin-token,ada,2,shop-admins
view-token,vic,3
none-token,nobody,4
`

const binary = defaultKubectl()
if (binary === undefined) console.log('SKIP kubectl: there is no kubectl in PATH')
else {
  const names = join(packageRoot, 'schemas/platform/kubernetes.yaml')
  const publicScheme = await compiledScheme({ platform: names }, console.error)
  assert.ok(publicScheme)
  describe(binary, publicScheme)
  describeOwnNames(binary)
}

/** The commands of kubectl that make roles and ask for rights know the public names only. */
function describe(file: string, scheme: Scheme): void {
  const tests = suite('e2e: rights, public names')
  let server: RunningApiServer
  let [root, admin, viewer, nobody] = [] as unknown as [Kubectl, Kubectl, Kubectl, Kubectl]

  tests.before(async () => {
    const started = await startTokenServer(file, scheme, tokens)
    server = started.server
    root = started.as('root-token')
    admin = started.as('admin-token')
    viewer = started.as('view-token')
    nobody = started.as('none-token')
    await root.ok('create namespace shop')
    await root.ok('create rolebinding admins --clusterrole=admin --group=shop-admins -n shop')
    await root.ok('create clusterrolebinding viewers --clusterrole=view --user=vic')
  })
  tests.after(() => server?.stop())

  tests('auth can-i answers as the roles say', async () => {
    for (const [user, question, answer] of [
      [root, 'delete nodes', 'yes'],
      [admin, 'create deployments -n shop', 'yes'],
      [admin, 'update deployments.apps --subresource=scale -n shop', 'yes'],
      [admin, 'create namespaces', 'no'],
      [admin, 'create deployments -n default', 'no'],
      [viewer, 'list pods -A', 'yes'],
      [viewer, 'get secrets -n shop', 'no'],
      [viewer, 'get /healthz', 'yes'],
      [nobody, 'get pods', 'no'],
      [nobody, 'create selfsubjectaccessreviews.authorization.k8s.io', 'yes'],
    ] as const) {
      const { stdout } = await user.run(`auth can-i ${question}`)
      assert.is(stdout.trim(), answer, question)
    }
  })

  tests('auth can-i --list shows the rules of a namespace', async () => {
    const list = await admin.ok('auth can-i --list -n shop')
    assert.match(list, /deployments\.apps +\[\] +\[\] +\[.*create.*\]/)
    assert.match(list, /selfsubjectrulesreviews\.authorization\.k8s\.io +\[\] +\[\] +\[create\]/)
    const none = await nobody.ok('auth can-i --list -n shop')
    assert.not.match(none, 'deployments')
    assert.match(none, '/healthz')
  })

  tests('a refusal names the user, the verb, the resource and the place', async () => {
    const refused = await viewer.run('delete namespace shop')
    assert.is(refused.code, 1)
    assert.match(
      refused.stderr,
      'namespaces "shop" is forbidden: User "vic" cannot delete resource "namespaces" in API group "" in the namespace "shop"',
    )
    const listed = await nobody.run('get deployments -n shop')
    assert.match(
      listed.stderr,
      'deployments.apps is forbidden: User "nobody" cannot list resource "deployments" in API group "apps" in the namespace "shop"',
    )
  })

  // A4.67
  tests('a dry run, and an apply of what is not there, need the right to create', async () => {
    const dry = await viewer.run('create configmap x -n shop --dry-run=server')
    assert.match(dry.stderr, 'User "vic" cannot create resource "configmaps"')
    await root.ok('create role patching -n shop --verb=get,patch --resource=configmaps')
    await root.ok('create rolebinding patching -n shop --role=patching --user=vic')
    const map = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: x, namespace: shop }\n'
    const applied = await viewer.run('apply --server-side -f -', map)
    assert.is(applied.code, 1)
    assert.match(applied.stderr, 'configmaps "x" is forbidden')
    await admin.ok('apply --server-side -f -', map)
    await viewer.ok('apply --server-side -f - --force-conflicts', `${map}data: { a: b }\n`)
  })

  tests('who gives more than they have is refused, who has it gives it', async () => {
    const refused = await admin.run('create role nodes --verb=get --resource=nodes -n shop')
    assert.is(refused.code, 1)
    assert.match(refused.stderr, 'is attempting to grant RBAC permissions not currently held')
    assert.match(refused.stderr, '{APIGroups:[""], Resources:["nodes"], Verbs:["get"]}')
    await admin.ok('create role pods --verb=get --resource=pods -n shop')
    await admin.ok('create rolebinding pods --role=pods --user=nobody -n shop')
    assert.is((await nobody.ok('auth can-i get pods -n shop')).trim(), 'yes')
    await admin.ok('delete rolebinding pods -n shop')
    assert.is((await nobody.run('auth can-i get pods -n shop')).stdout.trim(), 'no')
  })

  tests('auth reconcile adds what is missing, and what a role reference changed', async () => {
    const objects = (role: string, verb: string) => `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: cm, namespace: shop }
rules: [{ apiGroups: [''], resources: [configmaps], verbs: [${verb}] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: cm, namespace: shop }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: ${role} }
subjects: [{ apiGroup: rbac.authorization.k8s.io, kind: User, name: nobody }]
`
    await root.ok('auth reconcile -f -', objects('cm', 'get'))
    assert.is((await nobody.ok('auth can-i get configmaps -n shop')).trim(), 'yes')
    await root.ok('auth reconcile -f -', objects('cm', 'list'))
    assert.is((await nobody.ok('auth can-i get configmaps -n shop')).trim(), 'yes')
    assert.is((await nobody.ok('auth can-i list configmaps -n shop')).trim(), 'yes')
    await root.ok('auth reconcile -f -', objects('other', 'list'))
    const { stdout } = await nobody.run('auth can-i list configmaps -n shop')
    assert.is(stdout.trim(), 'no - RBAC: role.rbac.authorization.k8s.io "other" not found')
  })

  tests('--as asks what another may do, for those who may act as others', async () => {
    assert.is((await root.ok('auth can-i list pods -A --as=vic')).trim(), 'yes')
    const refused = await viewer.run('get pods --as=root')
    assert.match(refused.stderr, 'User "vic" cannot impersonate resource "users" in API group ""')
  })

  tests.run()
}

/** Under the names of orch: objects are read and written as everywhere, and refused alike. */
function describeOwnNames(file: string): void {
  const tests = suite('e2e: rights, own names')
  let started: TokenServer
  tests.before(async () => {
    started = await startTokenServer(file, ownScheme, tokens)
  })
  tests.after(() => started?.server.stop())

  tests('roles are applied, count at once, and their absence is told', async () => {
    const [root, viewer] = [started.as('root-token'), started.as('view-token')]
    const before = await viewer.run('get configmaps')
    assert.match(
      before.stderr,
      'configmaps is forbidden: User "vic" cannot list resource "configmaps" in API group "" in the namespace "default"',
    )
    const binding = `apiVersion: rbac.authorization.orch.io/v1
kind: RoleBinding
metadata: { name: viewers, namespace: default }
roleRef: { apiGroup: rbac.authorization.orch.io, kind: ClusterRole, name: view }
subjects: [{ apiGroup: rbac.authorization.orch.io, kind: User, name: vic }]
`
    await root.ok('apply -f -', binding)
    assert.match(await viewer.ok('get configmaps -o name'), /^$|configmap/)
    const secrets = await viewer.run('get secrets')
    assert.match(secrets.stderr, 'secrets is forbidden: User "vic" cannot list resource "secrets"')
    const edited = await root.run('apply -f -', binding.replace('name: view }', 'name: edit }'))
    assert.match(edited.stderr, 'cannot change roleRef')
  })

  tests.run()
}
