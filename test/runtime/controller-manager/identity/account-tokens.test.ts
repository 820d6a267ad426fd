/** Secrets that hold a token of a service account (N-10): made, good for requests, and gone with their account. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme as ownScheme } from '../../../../generated/scheme.ts'
import { startApiServer } from '../../../../runtime/apiserver/apiserver.ts'
import { createClient } from '../../../../runtime/client/client.ts'
import { controllersInProcess } from '../../../../runtime/controller-manager/controller-manager.ts'
import { decideSecret } from '../../../../runtime/controller-manager/identity/account-tokens.ts'
import { systemClock } from '../../../../runtime/kernel/async/clock.ts'
import { enabledGatesOf } from '../../../../runtime/kernel/descriptors/enabled-gates.ts'
import { silentLog } from '../../../../runtime/observe/observe.ts'
import { compiledScheme } from '../../../../tools/orch/compiled-scheme.ts'
import { newSigningKey } from '../../../support/service-accounts.ts'
import { until } from '../../../support/until.ts'

const test = suite('runtime/controller-manager/identity: tokens of secrets')

const names = { uid: 'orch.io/service-account.uid' }
const account = { metadata: { name: 'robot', uid: 'u1' } } as never
const encoded = (text: string) => Buffer.from(text).toString('base64')
const whole = { token: 'dA==', namespace: 'c2hvcA==', 'ca.crt': encoded('PEM') }

const decisions: readonly [title: string, secret: object, more: object, plan: unknown][] = [
  ['an empty secret gets a token', {}, {}, { token: true }],
  ['a whole one is kept', { data: whole }, {}, 'keep'],
  [
    'other certificates are put right, the token stays',
    { data: { ...whole, 'ca.crt': 'b2xk' } },
    {},
    { token: false },
  ],
  [
    'unknown certificates are no reason to write',
    { data: { token: 'dA==', namespace: 'c2hvcA==' } },
    { certificates: '' },
    'keep',
  ],
  ['a secret without an account goes', { data: whole }, { account: undefined }, 'delete'],
  ['one of an earlier account of the name goes', { data: whole, uid: 'u0' }, {}, 'delete'],
  ['one of the same account is kept', { data: whole, uid: 'u1' }, {}, 'keep'],
  [
    'one that is going already is not deleted again',
    { data: whole, uid: 'u0', deletionTimestamp: '2026-01-01T00:00:00Z' },
    {},
    'keep',
  ],
  ['one that is going gets no token', { deletionTimestamp: '2026-01-01T00:00:00Z' }, {}, 'keep'],
]
for (const [title, { uid, deletionTimestamp, ...secret }, more, plan] of decisions as readonly [
  string,
  { uid?: string; deletionTimestamp?: string },
  object,
  unknown,
][]) {
  test(`[N-10] ${title}`, () => {
    const annotations = uid === undefined ? {} : { [names.uid]: uid }
    const metadata = { annotations, deletionTimestamp }
    const observed = { secret: { metadata, ...secret }, account, certificates: 'PEM', ...more }
    assert.equal(decideSecret(observed as never, names), plan)
  })
}

for (const platform of ['orch', 'kubernetes']) {
  test(`[N-10] a secret gets a token that the server believes, and goes with its account: ${platform}`, async () => {
    const scheme =
      platform === 'orch'
        ? ownScheme
        : ((await compiledScheme(
            { platform: 'schemas/platform/kubernetes.yaml' },
            console.error,
          )) ?? ownScheme)
    const key = newSigningKey('P-256')
    const server = await startApiServer({
      ...{ scheme, storage: { kind: 'memory' }, clock: systemClock, log: silentLog },
      ...{ listen: { port: 0 }, hostname: 'machine-1' },
      authorization: { modes: ['RBAC'] },
      authentication: { serviceAccounts: { signingKey: () => key } },
    })
    const manager = await controllersInProcess({
      controllers: ['serviceaccount-token-controller'],
      ...{ platform: scheme.platform, gates: enabledGatesOf(scheme) },
      ...{ clock: systemClock, log: silentLog, tokenKey: () => key, rootCertificates: () => 'PEM' },
      clientAs: (user, program) => {
        const send = (request: Parameters<typeof server.dispatch>[0]) =>
          server.dispatch({ ...request, user })
        return createClient(
          { send, close: async () => {} },
          { manager: program, platform: ownScheme.platform },
        )
      },
    })
    const end = new AbortController()
    const running = manager.run(end.signal)
    const ask = async (method: string, path: string, body?: object, token?: string) => {
      const headers = { 'content-type': 'application/json' }
      if (token !== undefined) {
        const response = await fetch(server.url + path, {
          headers: { ...headers, authorization: `Bearer ${token}` },
        })
        return {
          status: response.status,
          warning: response.headers.get('warning'),
          json: await response.json(),
        }
      }
      const response = await server.dispatch({
        method,
        path,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      })
      const parts: Uint8Array[] = []
      for await (const part of response.body) parts.push(part)
      return { status: response.status, json: JSON.parse(Buffer.concat(parts).toString()) }
    }
    const { domain, api, brand } = scheme.platform
    const [namespace, secrets, accounts] = ['', '/secrets', '/serviceaccounts'].map(
      (end) => `/api/v1/namespaces/default${end}`,
    )
    await ask('POST', accounts!, { metadata: { name: 'robot' }, secrets: [{ name: 'listed' }] })
    const secret = (name: string) => ({
      metadata: { name, annotations: { [`${domain}/service-account.name`]: 'robot' } },
      type: `${domain}/service-account-token`,
    })
    for (const name of ['listed', 'manual'])
      assert.is((await ask('POST', secrets!, secret(name))).status, 201)
    const filled = async (name: string) => {
      const { json } = await ask('GET', `${secrets}/${name}`)
      return json.data?.token === undefined ? undefined : json
    }
    const manual = await until('the secret has its token', () => filled('manual'))
    assert.equal(
      [
        manual.data.namespace,
        manual.data['ca.crt'],
        manual.metadata.annotations[`${domain}/service-account.uid`],
      ],
      [
        encoded('default'),
        encoded('PEM'),
        (await ask('GET', `${accounts}/robot`)).json.metadata.uid,
      ],
    )
    const token = Buffer.from(manual.data.token, 'base64').toString()
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    assert.equal(claims, {
      iss: `${brand}/serviceaccount`,
      [`${domain}/serviceaccount/namespace`]: 'default',
      [`${domain}/serviceaccount/secret.name`]: 'manual',
      [`${domain}/serviceaccount/service-account.name`]: 'robot',
      [`${domain}/serviceaccount/service-account.uid`]:
        manual.metadata.annotations[`${domain}/service-account.uid`],
      sub: 'system:serviceaccount:default:robot',
    })
    const discovery = await ask('GET', `/apis/authorization.${api}/v1`, undefined, token)
    assert.equal([discovery.status, discovery.warning], [200, null])
    await until('its use is noted', async () => {
      const { json } = await ask('GET', `${secrets}/manual`)
      return json.metadata.labels?.[`${domain}/legacy-token-last-used`] !== undefined
    })
    const listed = await until('the other has its token', () => filled('listed'))
    const text = Buffer.from(listed.data.token, 'base64').toString()
    const second = await ask('GET', `/apis/authorization.${api}/v1`, undefined, text)
    assert.is(second.status, 200)
    assert.match(second.warning ?? '', 'instead of auto-generated secret-based tokens')
    await ask('DELETE', `${secrets}/listed`)
    await until('its account does not name it', async () => {
      const { json } = await ask('GET', `${accounts}/robot`)
      return (json.secrets ?? []).length === 0
    })
    assert.is((await ask('GET', `/apis/authorization.${api}/v1`, undefined, text)).status, 401)
    await ask('DELETE', `${accounts}/robot`)
    await until(
      'the secret is gone',
      async () => (await ask('GET', `${secrets}/manual`)).status === 404,
    )
    assert.is((await ask('GET', namespace!, undefined, token)).status, 401)
    end.abort()
    await running
    await server.stop()
  })
}

test.run()
