/** Who may give rights, and who may create by PUT and apply (supplement Z-09, Z-16), in the words of the reference. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../../generated/scheme.ts'
import { type RunningApiServer, startApiServer } from '../../../../runtime/apiserver/apiserver.ts'
import { systemClock } from '../../../../runtime/kernel/async/clock.ts'
import { silentLog } from '../../../../runtime/observe/observe.ts'

interface Context {
  readonly server: RunningApiServer
}

const test = suite<Context>('runtime/apis/rbac: who may give rights')

const group = 'rbac.authorization.orch.io'
const base = `/apis/${group}/v1`
const bob = { username: 'bob', groups: ['dev', 'x"y'] }
const ann = { username: 'ann', groups: [] }
type Rule = Readonly<Record<string, readonly string[]>>
const rule = (verbs: string[], resources: string[], apiGroups = ['']): Rule => ({
  verbs,
  apiGroups,
  resources,
})

async function send(
  server: RunningApiServer,
  user: typeof bob | undefined,
  method: string,
  path: string,
  body?: object,
  type = 'application/json',
) {
  const headers = { 'content-type': type }
  const { status, body: sent } = await server.dispatch({
    ...{ method, path, headers },
    ...(user && { user }),
    ...(body && { body: JSON.stringify(body) }),
  })
  const chunks: Uint8Array[] = []
  for await (const chunk of sent) chunks.push(chunk)
  const { message = '' } = JSON.parse(Buffer.concat(chunks).toString()) as { message?: string }
  return status < 300 ? String(status) : `${status} ${message}`
}

const role = (name: string, rules: readonly Rule[], more: object = {}) => ({
  metadata: { name },
  rules,
  ...more,
})
const binding = (name: string, kind: string, ref: string, user = 'a') => ({
  metadata: { name },
  roleRef: { apiGroup: group, kind, name: ref },
  subjects: [{ apiGroup: group, kind: 'User', name: user }],
})

test.before(async (context) => {
  const server = await startApiServer({
    ...{ scheme, storage: { kind: 'memory' }, clock: systemClock, log: silentLog },
    authorization: { modes: ['RBAC'] },
  })
  Object.assign(context, { server })
  const all = ['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings']
  const held = [
    rule(['get', 'create', 'update', 'patch'], all, [group]),
    rule(['get', 'list'], ['pods', 'pods/log']),
    { verbs: ['get'], nonResourceURLs: ['/a/*'] },
  ]
  const given = [
    { ...rule(['bind'], ['clusterroles'], [group]), resourceNames: ['view'] },
    rule(['escalate', 'create'], ['roles'], [group]),
    rule(['create'], ['rolebindings'], [group]),
    rule(['update', 'patch'], ['leases'], ['coordination.orch.io']),
  ]
  for (const [user, rules] of [
    ['bob', held],
    ['ann', given],
  ] as const) {
    assert.is(
      await send(server, undefined, 'POST', `${base}/clusterroles`, role(`for-${user}`, rules)),
      '201',
    )
    const bound = binding(user, 'ClusterRole', `for-${user}`, user)
    assert.is(await send(server, undefined, 'POST', `${base}/clusterrolebindings`, bound), '201')
  }
})
test.after(async ({ server }) => {
  await server.stop()
})

const asBob = `user "bob" (groups=["dev" "x\\"y"]) is attempting to grant RBAC permissions not currently held:\n`
const roles: readonly [name: string, body: object, answer: string][] = [
  ['held', role('held', [rule(['get'], ['pods'])]), '201'],
  ['a name is less', role('less', [{ ...rule(['get'], ['pods']), resourceNames: ['a'] }]), '201'],
  [
    'in parts',
    role('parts', [
      rule(['get', 'delete'], ['pods', 'nodes'], ['', 'apps']),
      { verbs: ['get'], nonResourceURLs: ['/a/b', '/b'] },
    ]),
    `403 clusterroles.${group} "parts" is forbidden: ${asBob}` +
      [
        '{APIGroups:[""], Resources:["nodes"], Verbs:["get" "delete"]}',
        '{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}',
        '{APIGroups:["apps"], Resources:["nodes"], Verbs:["get" "delete"]}',
        '{APIGroups:["apps"], Resources:["pods"], Verbs:["get" "delete"]}',
        '{NonResourceURLs:["/b"], Verbs:["get"]}',
      ].join('\n'),
  ],
  [
    'names of their own',
    role('named', [{ ...rule(['get'], ['secrets']), resourceNames: ['a', 'b'] }]),
    `403 clusterroles.${group} "named" is forbidden: ${asBob}` +
      '{APIGroups:[""], Resources:["secrets"], ResourceNames:["a"], Verbs:["get"]}\n' +
      '{APIGroups:[""], Resources:["secrets"], ResourceNames:["b"], Verbs:["get"]}',
  ],
  [
    'an aggregation',
    role('all', [], { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } }),
    `403 clusterroles.${group} "all" is forbidden: must have cluster-admin privileges to use the aggregationRule`,
  ],
  [
    'a name that is generated',
    { metadata: { generateName: 'x-' }, rules: [rule(['x'], ['é"\u0001'])] },
    `403 clusterroles.${group} is forbidden: ${asBob}{APIGroups:[""], Resources:["é\\"\\x01"], Verbs:["x"]}`,
  ],
]
for (const [name, body, answer] of roles) {
  test(`a role takes the rights in it: ${name} (Z-09)`, async ({ server }) => {
    assert.is(await send(server, bob, 'POST', `${base}/clusterroles`, body), answer)
  })
}

test('a change takes the rights of the whole role, unless it is for garbage collection (Z-09)', async ({
  server,
}) => {
  const path = `${base}/clusterroles/grown`
  const merge = 'application/merge-patch+json'
  await send(
    server,
    undefined,
    'POST',
    `${base}/clusterroles`,
    role('grown', [rule(['delete'], ['secrets'])]),
  )
  const refused = `403 clusterroles.${group} "grown" is forbidden: ${asBob}{APIGroups:[""], Resources:["secrets"], Verbs:["delete"]}`
  assert.is(
    await send(server, bob, 'PATCH', path, { metadata: { labels: { a: 'b' } } }, merge),
    refused,
  )
  assert.is(
    await send(server, bob, 'PATCH', path, { metadata: { finalizers: ['a.b/c'] } }, merge),
    '200',
  )
  assert.is(await send(server, bob, 'PUT', path, role('grown', [])), '200')
})

test('the verb escalate is enough for roles, bind for bindings (Z-09)', async ({ server }) => {
  const place = `${base}/namespaces/default`
  assert.is(
    await send(server, ann, 'POST', `${place}/roles`, role('r', [rule(['get'], ['secrets'])])),
    '201',
  )
  assert.is(
    await send(server, ann, 'POST', `${place}/rolebindings`, binding('v', 'ClusterRole', 'view')),
    '201',
  )
  const refused = await send(
    server,
    ann,
    'POST',
    `${place}/rolebindings`,
    binding('e', 'ClusterRole', 'edit'),
  )
  assert.match(
    refused,
    /^403 rolebindings.*user "ann" \(groups=\[\]\) is attempting to grant RBAC permissions/,
  )
})

test('a binding takes the rights of its role, which has to be there (Z-09)', async ({ server }) => {
  const all = `${base}/clusterrolebindings`
  assert.is(await send(server, bob, 'POST', all, binding('own', 'ClusterRole', 'for-bob')), '201')
  assert.is(
    await send(server, bob, 'POST', all, binding('gone', 'ClusterRole', 'gone')),
    `404 clusterroles.${group} "gone" not found`,
  )
  assert.is(
    await send(server, bob, 'POST', all, binding('r', 'Role', 'r')),
    '400 Namespace parameter required.',
  )
  assert.match(
    await send(server, bob, 'POST', all, binding('all', 'ClusterRole', 'cluster-admin')),
    /^403 .*\{NonResourceURLs:\["\*"\], Verbs:\["\*"\]\}$/s,
  )
})

test('a role of a million parts that its writer does not hold is refused at once', async ({
  server,
}) => {
  const many = Array.from({ length: 300 }, (_, at) => `r${at}`)
  const wide = { verbs: many, apiGroups: many, resources: many }
  assert.match(
    await send(server, bob, 'POST', `${base}/clusterroles`, role('wide', [wide])),
    /^403 /,
  )
})

test('a PUT and an apply that make an object take the right to create it (Z-16, A4-67)', async ({
  server,
}) => {
  const path = '/apis/coordination.orch.io/v1/namespaces/default/leases/l'
  const lease = {
    apiVersion: 'coordination.orch.io/v1',
    kind: 'Lease',
    metadata: { name: 'l' },
    spec: {},
  }
  const refused = '403 leases.coordination.orch.io "l" is forbidden: '
  assert.is(await send(server, ann, 'PUT', path, lease), refused)
  const apply = 'application/apply-patch+yaml'
  assert.is(await send(server, ann, 'PATCH', `${path}?fieldManager=a`, lease, apply), refused)
  assert.is(await send(server, undefined, 'PUT', path, lease), '201')
  assert.is(await send(server, ann, 'PATCH', `${path}?fieldManager=a`, lease, apply), '200')
})

const paths: readonly [method: string, path: string, text: string][] = [
  [
    'GET',
    '/api/v1/namespaces/d/pods/x/log',
    'pods "x" is forbidden: User "eve" cannot get resource "pods/log" in API group "" in the namespace "d"',
  ],
  [
    'POST',
    '/api/v1/namespaces/d/pods/x/exec',
    'pods "x" is forbidden: User "eve" cannot create resource "pods/exec" in API group "" in the namespace "d"',
  ],
  [
    'GET',
    '/api/v1/namespaces/d/services/x/proxy/a/b',
    'services "x" is forbidden: User "eve" cannot get resource "services/proxy" in API group "" in the namespace "d"',
  ],
  [
    'GET',
    '/apis/nope.io/v1/things',
    'things.nope.io is forbidden: User "eve" cannot list resource "things" in API group "nope.io" at the cluster scope',
  ],
  [
    'GET',
    '/apis/nope.io/v1/namespaces/a/things/b/c',
    'things.nope.io "b" is forbidden: User "eve" cannot get resource "things/c" in API group "nope.io" in the namespace "a"',
  ],
  [
    'PUT',
    '/api/v1/namespaces/d/pods',
    'pods is forbidden: User "eve" cannot update resource "pods" in API group "" in the namespace "d"',
  ],
  [
    'OPTIONS',
    '/api/v1/namespaces/d/pods',
    'pods is forbidden: User "eve" cannot  resource "pods" in API group "" in the namespace "d"',
  ],
  [
    'GET',
    '/api/v1/namespaces/d',
    'namespaces "d" is forbidden: User "eve" cannot get resource "namespaces" in API group "" in the namespace "d"',
  ],
  ['PUT', '/healthz', 'forbidden: User "eve" cannot put path "/healthz"'],
  ['GET', '/nope/a<b%22', 'forbidden: User "eve" cannot get path "/nope/a&lt;b\\""'],
]
for (const [method, path, text] of paths) {
  test(`${method} ${path} is forbidden in the words of its scope, served or not (Z-17)`, async ({
    server,
  }) => {
    const eve = { username: 'eve', groups: ['system:authenticated'] }
    assert.is(await send(server, eve, method, path), `403 ${text}`)
  })
}

test('every authenticated user may read discovery, health, version and schema documents (Z-19)', async ({
  server,
}) => {
  const eve = { username: 'eve', groups: ['system:authenticated'] }
  for (const path of ['/api', '/apis', '/apis/apps/v1', '/livez', '/version', '/openapi/v3']) {
    const { status, body } = await server.dispatch({ method: 'GET', path, headers: {}, user: eve })
    for await (const _ of body);
    assert.is(status, 200, path)
  }
})

test.run()
