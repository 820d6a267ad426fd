/** Rights by a webhook: what it is sent, what is kept, and what a failure comes to (Z-01, Z-20). */

import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../../../generated/scheme.ts'
import {
  type AuthorizationWebhook,
  startApiServer,
} from '../../../../../runtime/apiserver/apiserver.ts'
import { systemClock } from '../../../../../runtime/kernel/async/clock.ts'
import { silentLog } from '../../../../../runtime/observe/observe.ts'
import { tempDirectory } from '../../../../support/temp.ts'

const test = suite('runtime/auth/authz/webhook')

const stops: (() => Promise<void>)[] = []
test.after.each(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()))
})

interface Sent {
  readonly apiVersion: string
  readonly spec: { readonly user: string; readonly resourceAttributes?: object }
}

/** A webhook, what it was sent, and a server that asks it. */
async function opened(
  answer: (sent: Sent) => object | undefined | 'hang',
  more: Partial<AuthorizationWebhook> = {},
) {
  const sent: Sent[] = []
  const webhook: Server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => {
      text += chunk
    })
    request.on('end', () => {
      const review = JSON.parse(text) as Sent
      sent.push(review)
      const status = answer(review)
      if (status === 'hang') return
      if (status === undefined) response.writeHead(400).end()
      else response.end(JSON.stringify({ ...review, status }))
    })
  })
  await new Promise<void>((resolve) => webhook.listen(0, '127.0.0.1', resolve))
  const { port } = webhook.address() as AddressInfo
  const orchconfig = join(tempDirectory(), 'webhook')
  const cluster = { name: 'w', cluster: { server: `http://127.0.0.1:${port}/authorize` } }
  const context = { name: 'w', context: { cluster: 'w', user: 'w' } }
  const users = [{ name: 'w', user: {} }]
  writeFileSync(
    orchconfig,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [cluster],
      users,
      contexts: [context],
      'current-context': 'w',
    }),
  )
  const server = await startApiServer({
    ...{ scheme, storage: { kind: 'memory' }, clock: systemClock, log: silentLog },
    authorization: {
      modes: ['Webhook', 'RBAC'],
      webhooks: [{ orchconfig, version: 'v1', ...more }],
    },
  })
  const get = async (path = '/api/v1/namespaces/default', username = 'jane') => {
    const user = { username, groups: ['dev'] }
    const { status, body } = await server.dispatch({ method: 'GET', path, headers: {}, user })
    const chunks: Uint8Array[] = []
    for await (const chunk of body) chunks.push(chunk)
    const { message = '' } = JSON.parse(Buffer.concat(chunks).toString()) as { message?: string }
    return `${status} ${message}`.trim()
  }
  const stop = async () => {
    await server.stop()
    webhook.closeAllConnections()
    webhook.close()
  }
  stops.push(stop)
  return { sent, get }
}

test('a webhook allows, refuses, or leaves it to the next mode', async () => {
  const answers: Record<string, object> = {
    jane: { allowed: true },
    bob: { allowed: false, denied: true, reason: 'banned' },
    eve: { allowed: false, reason: 'who?' },
  }
  const { sent, get } = await opened(({ spec }) => answers[spec.user])
  assert.is(await get(), '200')
  assert.match(await get(undefined, 'bob'), /^403 .*: banned$/)
  assert.match(await get(undefined, 'eve'), /^403 .*: who\?$/)
  assert.is(sent[0]?.apiVersion, 'authorization.orch.io/v1')
  assert.equal(sent[0]?.spec, {
    user: 'jane',
    groups: ['dev'],
    resourceAttributes: {
      namespace: 'default',
      verb: 'get',
      version: 'v1',
      resource: 'namespaces',
      name: 'default',
    },
  })
})

test('an answer is kept, an allowance as long as a refusal or not', async () => {
  const { sent, get } = await opened(({ spec }) => ({ allowed: spec.user === 'jane' }), {
    refusedMs: 0,
  })
  for (let at = 0; at < 3; at++) await get()
  assert.is(sent.length, 1)
  for (let at = 0; at < 3; at++) await get(undefined, 'bob')
  assert.is(sent.length, 4)
})

test('the older version names groups in the singular', async () => {
  const { sent, get } = await opened(() => ({ allowed: true }), { version: 'v1beta1' })
  await get()
  assert.is(sent[0]?.apiVersion, 'authorization.orch.io/v1beta1')
  const [review] = sent as readonly { readonly spec: { readonly group?: object } }[]
  assert.equal(review?.spec.group, ['dev'])
})

test('a webhook that hangs lets no user in, and system:masters do not wait for it', async () => {
  const { get } = await opened(() => 'hang', { timeoutMs: 50 })
  assert.match(await get(), /^500 /)
})

test('a webhook that answers no review lets no user in', async () => {
  const { get } = await opened(() => undefined)
  assert.match(await get(), /^500 /)
})

test('a failure leaves it to the next mode, or refuses, as it was set', async () => {
  const open = await opened(() => undefined)
  assert.match(await open.get('/version'), /^500 /)
  const closed = await opened(() => undefined, { onFailure: 'Deny' })
  assert.match(await closed.get('/version'), /^500 /)
})

test('only requests that fulfil the conditions are asked about', async () => {
  const { sent, get } = await opened(() => ({ allowed: true }), {
    matches: ({ user }) => user === 'jane',
  })
  assert.is(await get(), '200')
  assert.match(await get(undefined, 'bob'), /^403 /)
  assert.is(sent.length, 1)
})

test.run()
