import { randomBytes } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { EncryptionConfiguration } from '../../../generated/config/encryption/v1.ts'
import {
  encryptionMetrics,
  encryptionRules,
  openEncryptedStore,
} from '../../../runtime/encryption/encryption.ts'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import { silentLog } from '../../../runtime/observe/observe.ts'
import { type LogStore, openStore } from '../../../runtime/store/store.ts'
import { until } from '../../support/until.ts'
import { bytes, storeContract, text } from '../store/contract.ts'
import { freshStores } from '../store/drivers.ts'

const test = suite('runtime/encryption: the encrypted store')

const key = (name: string) => ({ name, secret: randomBytes(32).toString('base64') })
const [k1, k2, k3] = [key('k1'), key('k2'), key('k3')]

type Providers = EncryptionConfiguration['resources'][number]['providers']

const rulesOf = (providers: Providers, resources: readonly string[] = ['secrets']) =>
  encryptionRules({ resources: [{ resources, providers }] }, { clock: systemClock, log: silentLog })

const resourceOf = (place: string) => {
  const [, group = '', resource = ''] = place.split('/')
  return group === 'ranges' ? undefined : { group: group === 'core' ? '' : group, resource }
}

const open = async (
  store: LogStore,
  providers: Providers,
  resources?: readonly string[],
  onUnreadable: (problem: string) => void = () => {},
) =>
  openEncryptedStore(store, {
    rules: await rulesOf(providers, resources),
    onUnreadable,
    resourceOf,
    metrics: encryptionMetrics(undefined, systemClock),
    clock: systemClock,
  })

const memory = () => openStore({ kind: 'memory' }, { clock: systemClock })
const db = '/core/secrets/shop/db'

for (const [name, fresh] of freshStores) {
  storeContract(`encrypted, ${name}`, async () =>
    openEncryptedStore(await fresh({ maxValueBytes: Number.POSITIVE_INFINITY }), {
      rules: await rulesOf([{ aesgcm: { keys: [k1] } }], ['*.*']),
      resourceOf: () => ({ group: '', resource: 'secrets' }),
      metrics: encryptionMetrics(undefined, systemClock),
      clock: systemClock,
    }),
  )
}

test('a value is stored encrypted where a rule names its resource, and as it is elsewhere', async () => {
  const below = await memory()
  const store = await open(below, [{ secretbox: { keys: [k1] } }], ['secrets', '*.apps'])
  for (const [place, encrypted] of [
    [db, true],
    ['/apps/deployments/shop/web', true],
    ['/core/configmaps/shop/db', false],
    ['/ranges/addresses/10.0.0.1', false],
  ] as const) {
    await store.create(place, bytes('{"a":1}'))
    const stored = text((await below.get(place))?.value) ?? ''
    assert.is(stored.startsWith('orch:enc:secretbox:v1:k1:'), encrypted, place)
    assert.is(stored.includes('{"a":1}'), !encrypted, place)
    assert.is(text((await store.get(place))?.value), '{"a":1}')
  }
  await store.close()
})

test('each provider decrypts what it has made; what the first one has not made is outdated', async () => {
  const below = await memory()
  const first = await open(below, [{ identity: {} }])
  await first.create('/core/secrets/shop/plain', bytes('{}'))
  await (await open(below, [{ aescbc: { keys: [k1] } }, { identity: {} }])).create(db, bytes('{}'))
  const both = await open(below, [
    { aesgcm: { keys: [k2] } },
    { aescbc: { keys: [k3, k1] } },
    { identity: {} },
  ])
  assert.is(both.outdated, 2)
  for (const { key: place, value } of (await both.list('')).entries)
    assert.is(text(value), '{}', place)
  const abort = new AbortController()
  const seen: string[] = []
  const following = (async () => {
    for await (const changes of both.changes(await below.revision(), abort.signal)) {
      seen.push(...changes.map(({ key: place }) => place))
      if (seen.length === 2) abort.abort()
    }
  })()
  for (const { key: place, revision } of (await below.list('')).entries) {
    await both.update(place, revision, bytes('{"b":2}'))
  }
  await following
  assert.is(both.outdated, 0)
  await both.close()
})

test('rules that could not decrypt what is stored are refused, and say what is missing', async () => {
  const below = await memory()
  const store = await open(below, [{ aescbc: { keys: [k1] } }])
  for (let at = 0; at < 7; at++) await store.create(`/core/secrets/shop/s${at}`, bytes('{}'))
  const error: Error = await store.replaceRules(await rulesOf([{ aesgcm: { keys: [k2] } }])).then(
    () => new Error('nothing was refused'),
    (one: Error) => one,
  )
  const lines = error.message.split('\n')
  assert.is(lines.length, 6)
  assert.is(
    lines[0],
    '/core/secrets/shop/s0 cannot be decrypted: it was encrypted by aescbc with the key "k1", which is not among its providers: ' +
      'add it behind the first one until everything is encrypted anew',
  )
  assert.is(lines[5], 'and 2 more')
  assert.is(text((await store.get('/core/secrets/shop/s0'))?.value), '{}')
  await store.create('/core/secrets/shop/next', bytes('{}'))
  assert.match(
    text((await below.get('/core/secrets/shop/next'))?.value) ?? '',
    /^orch:enc:aescbc:v1:k1:/,
  )
  await assertRejects(open(below, [{ aesgcm: { keys: [k2] } }]), /s0 cannot be decrypted/)
  await store.close()
})

test('rules are replaced while values are written: none is lost', async () => {
  const below = await memory()
  const store = await open(below, [{ aescbc: { keys: [k1] } }])
  const abort = new AbortController()
  const start = await below.revision()
  let seen = 0
  const following = (async () => {
    for await (const changes of store.changes(start, abort.signal)) {
      for (const { value } of changes) assert.is(text(value)?.[0], '{')
      seen += changes.length
      if (seen === 300) abort.abort()
    }
  })()
  const writing = (async () => {
    for (let at = 0; at < 300; at++) {
      await store.append({
        op: 'create',
        key: `/core/secrets/shop/s${at}`,
        expected: 0,
        value: bytes(`{"at":${at}}`),
      })
    }
  })()
  await store.replaceRules(await rulesOf([{ aesgcm: { keys: [k2] } }, { aescbc: { keys: [k1] } }]))
  await store.replaceRules(
    await rulesOf([
      { secretbox: { keys: [k3] } },
      { aesgcm: { keys: [k2] } },
      { aescbc: { keys: [k1] } },
    ]),
  )
  await Promise.all([writing, following])
  for (const { key: place, value } of (await store.list('')).entries) {
    assert.is(text(value), `{"at":${place.slice('/core/secrets/shop/s'.length)}}`)
  }
  await store.close()
})

test('what another server wrote with a newer key is waited for, and said, until the key is there', async () => {
  const below = await memory()
  const problems: string[] = []
  const late = await open(below, [{ aescbc: { keys: [k1] } }], ['secrets'], (problem) =>
    problems.push(problem),
  )
  const rotated: Providers = [{ aescbc: { keys: [k2, k1] } }]
  const early = await open(below, rotated)
  const abort = new AbortController()
  const start = await below.revision()
  const seen: string[] = []
  const following = (async () => {
    for await (const changes of late.changes(start, abort.signal)) {
      seen.push(...changes.map(({ value }) => text(value) ?? ''))
      if (seen.length === 2) abort.abort()
    }
  })()
  await early.create(db, bytes('{"a":1}'))
  await early.create(`${db}2`, bytes('{"a":2}'))
  await until('it is said', () => problems.length > 0)
  assert.match(problems[0] ?? '', /^\/core\/secrets\/shop\/db cannot be decrypted: .*"k2"/)
  await assertRejects(late.check(), /"k2"/)
  assert.equal(seen, [])
  await late.replaceRules(await rulesOf(rotated))
  await following
  assert.equal(seen, ['{"a":1}', '{"a":2}'])
  assert.is(problems.length, 1)
  await late.check()
  await late.close()
})

test('a server that waits for a key stops when it is told to', async () => {
  const below = await memory()
  const abort = new AbortController()
  const late = await open(below, [{ aescbc: { keys: [k1] } }], ['secrets'], () => abort.abort())
  const changes = late.changes(await below.revision(), abort.signal)
  await (await open(below, [{ aescbc: { keys: [k2, k1] } }])).create(db, bytes('{}'))
  for await (const _ of changes) assert.unreachable('it cannot be decrypted')
  await late.close()
})

test('a name of a key with a colon is not the beginning of another', async () => {
  const [a, ab] = [key('a'), key('a:b')]
  const below = await memory()
  const store = await open(below, [{ aesgcm: { keys: [ab, a] } }])
  await store.create(db, bytes('{}'))
  const turned = await open(below, [{ aesgcm: { keys: [a, ab] } }])
  assert.is(text((await turned.get(db))?.value), '{}')
  await turned.close()
})

test('what stands where no rule encrypts, but is encrypted, is refused with the method and the key', async () => {
  const below = await memory()
  await (await open(below, [{ aesgcm: { keys: [k1] } }])).create(db, bytes('{}'))
  await assertRejects(
    open(below, [{ aesgcm: { keys: [k1] } }], ['configmaps']),
    /encrypted by aesgcm with the key "k1"/,
  )
  await below.close()
})

async function assertRejects(promise: Promise<unknown>, pattern: RegExp): Promise<void> {
  await promise.then(
    () => assert.unreachable(`expected ${pattern}`),
    (error: Error) => assert.match(error.message, pattern),
  )
}

test.run()
