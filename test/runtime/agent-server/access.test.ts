import type { IncomingMessage } from 'node:http'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { attributesOf, checkAccess } from '../../../runtime/agent-server/running/access.ts'
import { alwaysDeny, anonymousAuthenticator } from '../../../runtime/auth/auth.ts'
import { silentLog } from '../../../runtime/observe/observe.ts'

const access = suite('runtime/agent-server: access')
const user = { username: 'ann', groups: [] }

access('a path is a part of the node, and a method a verb (G-04)', () => {
  const asked = (method: string, url: string): string => {
    const { verb, resource, subresource, name } = attributesOf({ method, url }, user, 'n1')
    return [verb, resource, name, subresource].join(' ')
  }
  assert.is(asked('GET', '/stats/summary'), 'get nodes n1 stats')
  assert.is(asked('GET', '/metrics/resource'), 'get nodes n1 metrics')
  assert.is(asked('HEAD', '/logs/'), 'get nodes n1 log')
  assert.is(asked('POST', '/checkpoint/ns/pod/main'), 'create nodes n1 checkpoint')
  assert.is(asked('GET', '//metrics'), 'get nodes n1 metrics')
  assert.is(asked('POST', '/exec/ns/pod/main?command=ls'), 'create nodes n1 proxy')
  assert.is(asked('GET', '/constructor'), 'get nodes n1 proxy')
})

access('a refusal names user, verb and part (G-05)', async () => {
  const request = {
    ...{ method: 'GET', url: '/stats/summary', headers: {}, rawHeaders: [], socket: {} },
  } as unknown as IncomingMessage
  const who = { authenticator: anonymousAuthenticator, authorizer: alwaysDeny }
  await checkAccess(who, request, 'n1', silentLog).then(
    () => assert.unreachable(),
    ({ status, message }) => {
      assert.is(status, 403)
      assert.is(
        message,
        'Forbidden (user=system:anonymous, verb=get, resource=nodes, subresource=stats)',
      )
    },
  )
})

access.run()
