/** Nodes: what they may have because of their pods (supplement Z-18, Q-26). */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../../../generated/scheme.ts'
import {
  type RunningApiServer,
  startApiServer,
} from '../../../../../runtime/apiserver/apiserver.ts'
import { systemClock } from '../../../../../runtime/kernel/async/clock.ts'
import { silentLog } from '../../../../../runtime/observe/observe.ts'
import type { ApiRequest } from '../../../../../runtime/server/server.ts'

interface Context {
  readonly server: RunningApiServer
}

const test = suite<Context>('runtime/auth/authz/node')

const nodes = ['system:nodes', 'system:authenticated']
const n1 = { username: 'system:node:n1', groups: nodes }
const pods = '/api/v1/namespaces/default/pods'

async function send(
  server: RunningApiServer,
  request: Omit<ApiRequest, 'headers' | 'body'> & { readonly body?: object },
) {
  const { body: sent, ...rest } = request
  const headers = {
    'content-type':
      request.method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
  }
  const { status, body } = await server.dispatch({
    ...rest,
    headers,
    ...(sent && { body: JSON.stringify(sent) }),
  })
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  const answer = JSON.parse(Buffer.concat(chunks).toString()) as {
    message?: string
    metadata: { uid: string }
  }
  return { status, message: answer.message ?? '', uid: answer.metadata?.uid }
}

const pod = (name: string, nodeName: string, more: object = {}) => ({
  metadata: { name },
  spec: { nodeName, containers: [{ name: 'c', image: 'i' }], ...more },
})

test.before(async (context) => {
  const server = await startApiServer({
    ...{ scheme, storage: { kind: 'memory' }, clock: systemClock, log: silentLog },
    authorization: { modes: ['Node', 'RBAC'] },
    admission: { enable: ['NodeRestriction'], disable: ['ServiceAccount'] },
  })
  Object.assign(context, { server })
  const volumes = [
    { name: 'a', secret: { secretName: 'mounted' } },
    { name: 'b', configMap: { name: 'settings' } },
    { name: 'c', persistentVolumeClaim: { claimName: 'data' } },
  ]
  const path = '/api/v1/persistentvolumes'
  const csi = { driver: 'd.e', volumeHandle: 'h' }
  const spec = {
    ...{ capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] },
    claimRef: { namespace: 'default', name: 'data' },
    csi: {
      ...csi,
      nodePublishSecretRef: { namespace: 'vault', name: 'for-nodes' },
      controllerPublishSecretRef: { namespace: 'vault', name: 'for-driver' },
    },
  }
  for (const [place, body] of [
    ['/api/v1/nodes', { metadata: { name: 'n1' } }],
    [path, { metadata: { name: 'disk' }, spec }],
    [pods, pod('web', 'n1', { volumes, serviceAccountName: 'robot' })],
    [pods, pod('db', 'n2', { volumes: [{ name: 'a', secret: { secretName: 'other' } }] })],
  ] as const) {
    const { status, message } = await send(server, { method: 'POST', path: place, body })
    assert.is(status, 201, message)
  }
})
test.after(async ({ server }) => {
  await server.stop()
})

const unrelated = "no relationship found between node 'n1' and this object"
const secrets = '/api/v1/namespaces/default/secrets'
/** 404: it may be asked for, and is not there. */
const requests: readonly [method: string, path: string, status: number, reason?: string][] = [
  ['GET', `${secrets}/mounted`, 404],
  ['GET', `${secrets}/other`, 403, unrelated],
  ['GET', `${secrets}/unknown`, 403, unrelated],
  ['GET', '/api/v1/namespaces/kube/secrets/mounted', 403, unrelated],
  ['GET', '/api/v1/namespaces/vault/secrets/for-nodes', 404],
  ['GET', '/api/v1/namespaces/vault/secrets/for-driver', 403, unrelated],
  ['GET', secrets, 403, 'No Object name found'],
  ['GET', '/api/v1/secrets', 403, 'can only read namespaced object of this type'],
  ['DELETE', `${secrets}/mounted`, 403, 'can only read resources of this type'],
  ['GET', `${secrets}?fieldSelector=metadata.name=mounted`, 200],
  ['GET', '/api/v1/namespaces/default/configmaps/settings', 404],
  ['GET', '/api/v1/namespaces/default/configmaps/more', 403, unrelated],
  ['GET', '/api/v1/namespaces/default/persistentvolumeclaims/data', 404],
  ['GET', '/api/v1/persistentvolumes/disk', 200],
  ['GET', '/api/v1/persistentvolumes', 403, 'can only get individual resources of this type'],
  ['GET', '/apis/coordination.orch.io/v1/namespaces/orch-node-lease/leases/n1', 404],
  [
    'GET',
    '/apis/coordination.orch.io/v1/namespaces/orch-node-lease/leases/n2',
    403,
    'can only access node lease with the same name as the requesting node',
  ],
  [
    'GET',
    '/apis/coordination.orch.io/v1/namespaces/default/leases/n1',
    403,
    'can only access leases in the "orch-node-lease" system namespace',
  ],
  ['GET', '/apis/storage.orch.io/v1/csinodes/n1', 404],
  [
    'GET',
    '/apis/storage.orch.io/v1/csinodes/n2',
    403,
    'can only access CSINode with the same name as the requesting node',
  ],
  ['GET', '/api/v1/pods', 200],
  ['GET', '/api/v1/namespaces', 403],
]
for (const [method, path, status, reason = ''] of requests) {
  test(`${method} ${path} of a node is answered ${status} (Z-18)`, async ({ server }) => {
    const answer = await send(server, { method, path, user: n1 })
    assert.is(answer.status, status, answer.message)
    assert.ok(answer.message.endsWith(reason), answer.message)
  })
}

test('a node loses what its pod named when the pod is gone (Z-18)', async ({ server }) => {
  const volumes = [{ name: 'a', secret: { secretName: 'short' } }]
  await send(server, { method: 'POST', path: pods, body: pod('short', 'n1', { volumes }) })
  const get = { method: 'GET', path: `${secrets}/short`, user: n1 }
  assert.is((await send(server, get)).status, 404)
  await send(server, { method: 'DELETE', path: `${pods}/short?gracePeriodSeconds=0` })
  assert.is((await send(server, get)).status, 403)
})

test('a user who is no node is judged by the other modes (Z-18)', async ({ server }) => {
  const user = { username: 'system:node:n1', groups: ['system:authenticated'] }
  const { message } = await send(server, { method: 'GET', path: `${secrets}/mounted`, user })
  assert.not.match(message, /relationship/)
})

test('a node that is not there makes no pod for itself, and is told so in the singular (Q-26)', async ({
  server,
}) => {
  const owner = { apiVersion: 'v1', kind: 'Node', name: 'n9', uid: 'u', controller: true }
  const metadata = {
    ...{ name: 'mirrored', ownerReferences: [owner] },
    annotations: { 'orch.io/config.mirror': 'x' },
  }
  const { status, message } = await send(server, {
    ...{ method: 'POST', path: pods, body: { ...pod('mirrored', 'n9'), metadata } },
    user: { username: 'system:node:n9', groups: nodes },
  })
  assert.equal([status, message], [404, 'node "n9" not found'])
})

test('a node changes itself alone, and neither its taints nor labels that attract work (Q-26)', async ({
  server,
}) => {
  const own = '/api/v1/nodes/n1'
  const patch = async (path: string, body: object) => {
    const { status, message } = await send(server, { method: 'PATCH', path, body, user: n1 })
    return status === 200 ? 'yes' : message.replace(/^.*is forbidden: /, '')
  }
  await send(server, { method: 'POST', path: '/api/v1/nodes', body: { metadata: { name: 'n2' } } })
  assert.is(await patch('/api/v1/nodes/n2', {}), 'node "n1" is not allowed to modify node "n2"')
  assert.is(
    await patch(own, { metadata: { labels: { 'orch.io/hostname': 'n1', mine: 'x' } } }),
    'yes',
  )
  assert.is(
    await patch(own, {
      metadata: { labels: { 'node-restriction.orch.io/a': 'b', 'x.orch.io/c': 'd' } },
    }),
    'is not allowed to modify labels: node-restriction.orch.io/a, x.orch.io/c',
  )
  const taints = [{ key: 'a', effect: 'NoSchedule' }]
  assert.is(await patch(own, { spec: { taints } }), 'node "n1" is not allowed to modify taints')
})

test('a node makes mirrors of its own pods, and deletes pods that run on it (Q-26)', async ({
  server,
}) => {
  const reason = async (body: object) => {
    const { message, status } = await send(server, { method: 'POST', path: pods, body, user: n1 })
    return status === 201 ? 'yes' : message.replace(/^.*is forbidden: /, '')
  }
  const { uid } = await send(server, { method: 'GET', path: '/api/v1/nodes/n1' })
  const owner = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid, controller: true }
  const mirror = (more: object = {}, ownerReferences: object[] = [owner], nodeName = 'n1') => ({
    ...pod('mirror', nodeName, more),
    metadata: { name: 'mirror', annotations: { 'orch.io/config.mirror': 'x' }, ownerReferences },
  })
  assert.match(
    await reason(pod('plain', 'n1')),
    /^pod does not have "orch.io\/config.mirror" annotation/,
  )
  assert.is(
    await reason(mirror({}, [owner], 'n2')),
    'node "n1" can only create pods with spec.nodeName set to itself',
  )
  assert.is(
    await reason(mirror({}, [])),
    'node "n1" can only create pods with an owner reference set to itself',
  )
  assert.is(
    await reason(mirror({}, [{ ...owner, uid: 'x' }])),
    `node n1 UID mismatch: expected x got ${uid}`,
  )
  const volumes = [{ name: 'a', secret: { secretName: 's' } }]
  assert.is(
    await reason(mirror({ volumes })),
    'node "n1" can not create pods that reference secrets',
  )
  assert.is(await reason(mirror()), 'yes')
  const gone = async (name: string) =>
    (
      await send(server, {
        method: 'DELETE',
        path: `${pods}/${name}?gracePeriodSeconds=0`,
        user: n1,
      })
    ).message
  assert.match(await gone('db'), /can only delete pods with spec.nodeName set to itself$/)
  assert.is(await gone('mirror'), '')
})

test.run()
