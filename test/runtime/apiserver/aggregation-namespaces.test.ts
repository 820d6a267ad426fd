/** A namespace goes with what other servers keep in it, and waits for one that cannot be asked (X-16, X-17, B-03). */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  arrivedAt,
  backend,
  condition,
  custom,
  register,
  restartBackend,
  withServers,
} from '../../support/aggregated.ts'
import { backendGroup, json, resourceList } from '../../support/remote-backend.ts'
import { until } from '../../support/until.ts'

const test = suite('runtime/apiserver: namespaces and aggregated servers')
withServers(test)

const place = '/api/v1/namespaces/doomed'
const path = `/apis/${backendGroup}/v1`
const collection = `${path}/namespaces/doomed/lamps`

/** Keeps lamps, which may be deleted. */
function keepLamps(names: Set<string>) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const [url = ''] = (request.url ?? '').split('?')
    if (url === path) {
      json(response, deletable)
      return
    }
    if (request.method === 'DELETE') names.delete(url.slice(collection.length + 1))
    const items = [...names].map((name) => ({ metadata: { name, namespace: 'doomed' } }))
    json(response, { apiVersion: `${backendGroup}/v1`, kind: 'LampList', metadata: {}, items })
  }
}

const [lamps] = resourceList.resources
const verbs = ['create', 'delete', 'get', 'list', 'watch']
const deletable = { ...resourceList, resources: [{ ...lamps, verbs }] }

const statusOf = async () => (await custom.ask('GET', place)).json?.status

test('what another server keeps in a namespace goes before the namespace does', async () => {
  const names = new Set(['one', 'two'])
  backend.answer(keepLamps(names), true)
  await register(custom)
  await custom.ask('POST', '/api/v1/namespaces', { metadata: { name: 'doomed' } })
  await custom.ask('DELETE', place)
  await until('the namespace is gone', async () => (await custom.ask('GET', place)).status === 404)
  assert.equal([...names], [])
  const [asked] = arrivedAt(`${collection}/one`)
  assert.equal(
    [asked?.method, asked?.headers['x-remote-user']],
    ['DELETE', 'system:apiserver'],
    'the server asks as itself',
  )
})

test('a namespace waits for a server that is away, says so, and goes when it is back', async () => {
  const names = new Set(['one'])
  backend.answer(keepLamps(names), true)
  await register(custom)
  await custom.ask('POST', '/api/v1/namespaces', { metadata: { name: 'doomed' } })
  const { port } = backend
  await backend.stop()
  await condition(custom, 'FailedDiscoveryCheck')
  await custom.ask('DELETE', place)
  const failed = await until('its condition says so', async () => {
    const [first] = (await statusOf())?.conditions ?? []
    return first?.status === 'True' ? first : undefined
  })
  assert.equal(
    [failed.type, failed.reason, failed.message],
    [
      'NamespaceDeletionDiscoveryFailure',
      'DiscoveryFailed',
      `Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: ${backendGroup}/v1: stale GroupVersion discovery: ${backendGroup}/v1`,
    ],
  )
  await restartBackend(port)
  backend.answer(keepLamps(names), true)
  await condition(custom, 'Passed')
  await until('the namespace is gone', async () => (await custom.ask('GET', place)).status === 404)
  assert.equal([...names], [])
})

test.run()
