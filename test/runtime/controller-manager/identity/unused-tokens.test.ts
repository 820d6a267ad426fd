/** Tokens that are no longer used: of nodes that were to join, and of service accounts. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { configMaps } from '../../../../generated/apis/core/v1/config-map.ts'
import { type PodSpec, pods } from '../../../../generated/apis/core/v1/pod.ts'
import { secrets } from '../../../../generated/apis/core/v1/secret.ts'
import { serviceAccounts } from '../../../../generated/apis/core/v1/service-account.ts'
import { decideSignatures } from '../../../../runtime/controller-manager/identity/bootstrap-tokens/signing.ts'
import {
  decideToken,
  tokenLabels,
  trackedSince,
} from '../../../../runtime/controller-manager/identity/unused-tokens.ts'
import { startControlPlane, virtualClock } from '../../../../runtime/testing/testing.ts'
import { platformScheme } from '../../../support/platform-scheme.ts'
import { until } from '../../../support/until.ts'

const test = suite('runtime/controller-manager/identity: unused tokens')

const encoded = (text: string) => Buffer.from(text).toString('base64')
const encodedAll = (data: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, encoded(value)]))

const now = Date.parse('2030-06-01T12:00:00Z')
const good = {
  ...{ 'token-id': 'abcdef', 'token-secret': '0123456789abcdef' },
  'usage-bootstrap-signing': 'true',
}
const tokenOf = (name: string, change: Readonly<Record<string, string>> = {}) =>
  ({
    metadata: { name: `bootstrap-token-${name}` },
    data: encodedAll({ ...good, ...change }),
  }) as never
/** Made with `openssl dgst -sha256 -hmac 0123456789abcdef`. */
const signature =
  'eyJhbGciOiJIUzI1NiIsImtpZCI6ImFiY2RlZiJ9..MxsnbCjBaYzcbNIFa06F-wuF9LX26rhMlrL4zA1511s'

test('what a node may know is signed with each token that is good for it', () => {
  const data = { config: 'hello', note: 'x' }
  const sign = (tokens: readonly never[], before: Readonly<Record<string, string>> = data) =>
    decideSignatures({ data: before }, tokens, { content: 'config', now })
  const signed = { ...data, 'jws-kubeconfig-abcdef': signature }
  assert.equal(sign([tokenOf('abcdef')]), signed)
  assert.is(sign([tokenOf('abcdef')], signed), undefined, 'it is signed already')
  assert.equal(sign([], signed), data, 'a token that is gone takes its signature with it')
  assert.is(sign([tokenOf('abcdef')], { note: 'x' }), undefined, 'there is nothing to sign')
  const unfit: readonly (readonly [name: string, change: Readonly<Record<string, string>>])[] = [
    ['another', {}],
    ['abcdef', { 'token-id': 'other1' }],
    ['abcdef', { 'token-secret': '' }],
    ['abcdef', { 'usage-bootstrap-signing': 'false' }],
    ['abcdef', { expiration: '2030-06-01T11:59:59Z' }],
    ['abcdef', { expiration: 'tomorrow' }],
  ]
  for (const [name, change] of unfit)
    assert.is(sign([tokenOf(name, change)]), undefined, JSON.stringify(change))
  const later = tokenOf('abcdef', { expiration: '2030-06-01T14:00:01+02:00' })
  assert.equal(sign([later]), signed)
})

for (const platform of ['orch', 'kubernetes']) {
  test(`bootstrap tokens sign what nodes may know, and go when they expire: ${platform}`, async () => {
    const scheme = await platformScheme(platform)
    const clock = virtualClock(now)
    await using plane = await startControlPlane({
      ...(scheme && { scheme }),
      ...{ clock, authorization: 'RBAC' },
      controllers: ['bootstrap-signer-controller', 'token-cleaner-controller'],
    })
    const [prefix, domain] = platform === 'orch' ? ['orch', 'orch.io'] : ['kube', 'kubernetes.io']
    const tokens = plane.client.resource(secrets).in(`${prefix}-system`)
    const maps = plane.client.resource(configMaps).in(`${prefix}-public`)
    const token = (name: string, data: Readonly<Record<string, string>>) => ({
      metadata: { name: `bootstrap-token-${name}` },
      type: `bootstrap.${domain}/token`,
      data: encodedAll({ ...good, 'token-id': name, ...data }),
    })
    await maps.create({
      metadata: { name: 'cluster-info' },
      data: { [`${prefix}config`]: 'hello' },
    })
    await tokens.create(token('abcdef', { expiration: '2030-06-01T13:00:00Z' }))
    await tokens.create(token('second', {}))
    const keys = async () => Object.keys((await maps.get('cluster-info')).data ?? {}).sort()
    await until('both have signed', async () => (await keys()).length === 3)
    await clock.advanceAsync(3_600_000)
    await until(
      'one is gone',
      async () => (await tokens.find('bootstrap-token-abcdef')) === undefined,
    )
    await until('and its signature', async () => (await keys()).length === 2)
    assert.equal(await keys(), ['jws-kubeconfig-second', `${prefix}config`])
  })
}

const names = tokenLabels('orch.io')
const day = 86_400_000
const old = '2029-01-01T00:00:00Z'
const decisions: readonly [
  title: string,
  change: { readonly labels?: object; readonly created?: string; readonly other?: object },
  plan: string,
][] = [
  ['one that was never used is marked', {}, 'mark'],
  ['a new one is kept', { created: '2030-05-20T00:00:00Z' }, 'keep'],
  ['one that goes is let alone', { labels: {}, other: { deleted: true } }, 'keep'],
  ['one used lately is kept', { labels: { [names.lastUsed]: '2030-05-02' } }, 'keep'],
  ['one used long ago is marked', { labels: { [names.lastUsed]: '2030-05-01' } }, 'mark'],
  ['one whose use cannot be read is kept', { labels: { [names.lastUsed]: 'May' } }, 'keep'],
  ['one that no account lists was made by hand', { other: { account: { secrets: [] } } }, 'keep'],
  ['one whose account is gone is kept', { other: { account: undefined } }, 'keep'],
  ['one that a pod names is kept', { other: { isMounted: () => true } }, 'keep'],
  ['a mark that cannot be read is written anew', { labels: { [names.invalidSince]: '' } }, 'mark'],
  ['one marked lately is kept', { labels: { [names.invalidSince]: '2030-05-02' } }, 'keep'],
  ['one marked long ago goes', { labels: { [names.invalidSince]: '2030-05-01' } }, 'delete'],
]
for (const [title, { labels = {}, created = old, other = {} }, plan] of decisions) {
  test(`secrets of service accounts' tokens: ${title}`, () => {
    const deleted = 'deleted' in other && { deletionTimestamp: old }
    const metadata = { name: 's', creationTimestamp: created, labels, ...deleted }
    const account = { secrets: [{ name: 's' }] }
    const observed = { secret: { metadata }, account, isMounted: () => false, ...other }
    const options = { now, unusedMs: 30.5 * day, names }
    assert.is(decideToken(observed as never, options), plan)
  })
}

test('uses are tracked from the end of the first day on', () => {
  assert.is(trackedSince({ data: { since: '2030-01-31' } }), Date.parse('2030-02-01T00:00:00Z'))
  for (const since of ['2030-02-31', '2030-1-1', '', 'x'])
    assert.is(trackedSince({ data: { since } }), undefined, since)
  assert.is(trackedSince(undefined), undefined)
})

const containers = [{ name: 'main', image: 'work' }]
const naming: PodSpec = { containers, imagePullSecrets: [{ name: 'mounted' }] }

test('a token unused for a year is marked, and gone a year later', async () => {
  await using plane = await startControlPlane({ clock: virtualClock(now), authorization: 'RBAC' })
  await plane.client.resource(configMaps).create({
    metadata: {
      namespace: 'orch-system',
      name: 'orch-apiserver-legacy-service-account-token-tracking',
    },
    data: { since: '2030-06-01' },
  })
  const made = plane.client.resource(secrets).in('default')
  await plane.client
    .resource(serviceAccounts)
    .in('default')
    .create({ metadata: { name: 'robot' }, secrets: [{ name: 'listed' }, { name: 'mounted' }] })
  for (const name of ['listed', 'manual', 'mounted'])
    await made.create({
      metadata: { name, annotations: { [names.account]: 'robot' } },
      type: 'orch.io/service-account-token',
    })
  await plane.client
    .resource(pods)
    .in('default')
    .create({ metadata: { name: 'p' }, spec: naming })
  const later = (days: number) => ({
    clock: virtualClock(now + days * day),
    controllers: ['legacy-serviceaccount-token-cleaner-controller'] as const,
  })
  await using second = await plane.fork(later(400))
  const marked = second.client.resource(secrets).in('default')
  const marks = async (name: string) =>
    (await marked.get(name)).metadata.labels?.[names.invalidSince]
  await until('it is marked', () => marks('listed'))
  assert.is(await marks('listed'), '2031-07-06')
  await using third = await second.fork(later(770))
  const left = third.client.resource(secrets).in('default')
  await until('it is gone', async () => (await left.find('listed')) === undefined)
  const stay = (await left.listAll()).items.map(({ metadata }) => metadata.name).sort()
  assert.equal(stay, ['manual', 'mounted'])
  assert.is((await left.get('manual')).metadata.labels, undefined)
})

test.run()
