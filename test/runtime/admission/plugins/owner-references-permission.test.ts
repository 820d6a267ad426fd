/** Who may set owners, and make objects block the deletion of their owners (Q-25). */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../../generated/scheme.ts'
import { startApiServer } from '../../../../runtime/apiserver/apiserver.ts'
import { systemClock } from '../../../../runtime/kernel/async/clock.ts'
import { silentLog } from '../../../../runtime/observe/observe.ts'

const test = suite('runtime/admission/plugins: OwnerReferencesPermissionEnforcement')

test('owners take the right to delete the owned, blocking them the right to update their finalizers (Q-25)', async () => {
  const allowed = new Set(['create configmaps', 'patch configmaps'])
  const server = await startApiServer({
    ...{ scheme, storage: { kind: 'memory' }, clock: systemClock, log: silentLog },
    admission: { enable: ['OwnerReferencesPermissionEnforcement'] },
    authorizer: {
      authorize({ verb, resource, subresource }) {
        const right = `${verb} ${resource}${subresource ? `/${subresource}` : ''}`
        return allowed.has(right) ? { decision: 'Allow' } : { decision: 'NoOpinion', reason: 'no' }
      },
    },
  })
  const path = '/api/v1/namespaces/default/configmaps'
  const user = { username: 'jane', groups: [] }
  const write = async (method: string, where: string, object: object) => {
    const headers = {
      'content-type': method === 'POST' ? 'application/json' : 'application/merge-patch+json',
    }
    const { status, body } = await server.dispatch({
      method,
      path: where,
      headers,
      user,
      body: JSON.stringify(object),
    })
    const chunks: Uint8Array[] = []
    for await (const chunk of body) chunks.push(chunk)
    const { message = '' } = JSON.parse(Buffer.concat(chunks).toString()) as { message?: string }
    return status < 300 ? 'yes' : message.replace(/^.*is forbidden: /, '')
  }
  const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'u' }
  const blocking = { ...owner, blockOwnerDeletion: true }
  const owned = (name: string, one: object) => ({ metadata: { name, ownerReferences: [one] } })
  const finalizers = `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: no, <nil>`
  assert.is(await write('POST', path, owned('a', owner)), 'yes')
  assert.is(await write('POST', path, owned('b', blocking)), finalizers)
  const patch = { metadata: { ownerReferences: [blocking] } }
  assert.is(
    await write('PATCH', `${path}/a`, patch),
    "cannot set an ownerRef on a resource you can't delete: no, <nil>",
  )
  allowed.add('delete configmaps')
  assert.is(await write('PATCH', `${path}/a`, patch), finalizers)
  allowed.add('update deployments/finalizers')
  assert.is(await write('PATCH', `${path}/a`, patch), 'yes')
  const unknown = { ...blocking, kind: 'Nothing', uid: 'v' }
  assert.match(
    await write('POST', path, owned('c', unknown)),
    /cannot find RESTMapping for APIVersion apps\/v1 Kind Nothing: no matches/,
  )
  await server.stop()
})

test.run()
