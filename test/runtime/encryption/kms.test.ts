import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type EncryptedStore,
  encryptionMetrics,
  encryptionRules,
  openEncryptedStore,
} from '../../../runtime/encryption/encryption.ts'
import { type Clock, systemClock } from '../../../runtime/kernel/async/clock.ts'
import { type Log, silentLog } from '../../../runtime/observe/observe.ts'
import { type LogStore, openStore } from '../../../runtime/store/store.ts'
import { fakeClock } from '../../support/clock.ts'
import { startKeyService, type TestKeyService } from '../../support/key-service.ts'
import { until } from '../../support/until.ts'
import { bytes, text } from '../store/contract.ts'

const test = suite('runtime/encryption: key services')

const db = '/core/secrets/shop/db'

async function open(
  below: LogStore,
  service: TestKeyService,
  clock: Clock = systemClock,
  log: Log = silentLog,
) {
  const kms = {
    apiVersion: 'v2',
    name: 'vault',
    endpoint: service.endpoint,
    timeout: '3s',
  } as const
  const configuration = { resources: [{ resources: ['secrets'], providers: [{ kms }] }] }
  const rules = await encryptionRules(configuration, { clock, log })
  const stop = new AbortController()
  const [provider] = rules.providers
  let opened: EncryptedStore | undefined
  const started = await provider?.start?.(stop.signal, () => void opened?.examineAnew())
  const store = await openEncryptedStore(below, {
    rules,
    resourceOf: () => ({ group: '', resource: 'secrets' }),
    metrics: encryptionMetrics(undefined, clock),
    clock,
  })
  opened = store
  const end = async (): Promise<void> => {
    stop.abort()
    await started?.ended
  }
  return { store, provider, end }
}

const memory = () => openStore({ kind: 'memory' }, { clock: systemClock })

test('one secret encrypts many values, and the service is asked for it once', async () => {
  const service = await startKeyService()
  const below = await memory()
  const { store, end } = await open(below, service)
  for (let at = 0; at < 50; at++) await store.create(`${db}${at}`, bytes(`{"at":${at}}`))
  const stored = Buffer.from((await below.get(`${db}7`))?.value ?? [])
  assert.ok(stored.toString('latin1').startsWith('orch:enc:kms:v2:vault:'))
  assert.not.ok(stored.includes('{"at":7}'))
  assert.is(text((await store.get(`${db}7`))?.value), '{"at":7}')
  assert.equal(service.calls, { Status: 1, Encrypt: 1, Decrypt: 0 })
  await end()
  const again = await open(below, service)
  const { entries } = await again.store.list('')
  assert.equal(entries.map(({ value }) => text(value)).sort()[0], '{"at":0}')
  assert.equal(service.calls, { Status: 2, Encrypt: 2, Decrypt: 1 })
  await again.end()
  await below.close()
  service.stop()
})

test('a new key of the service makes what stands there outdated, and is used from then on', async () => {
  const service = await startKeyService()
  const below = await memory()
  const clock = fakeClock()
  const { store, end } = await open(below, service, clock)
  await store.create(db, bytes('{}'))
  const before = (await below.get(db))?.value
  service.keyId = 'second'
  await clock.advance(60_000)
  await until('what stands there is outdated', () => store.isOutdated(db))
  await store.create(`${db}2`, bytes('{}'))
  assert.ok(Buffer.from((await below.get(`${db}2`))?.value ?? []).includes('second'))
  assert.not.ok(store.isOutdated(`${db}2`))
  assert.is(text((await store.get(db))?.value), '{}')
  assert.is(Buffer.from(before ?? []).includes('first'), true)
  await end()
  const again = await open(below, service)
  assert.ok(again.store.isOutdated(db))
  await again.end()
  await below.close()
  service.stop()
})

test('a service that fails stops writes after three minutes, reads never, and says why', async () => {
  const service = await startKeyService()
  const below = await memory()
  const clock = fakeClock()
  const failures: unknown[] = []
  const log: Log = { ...silentLog, error: (event, fields) => void failures.push([event, fields]) }
  const { store, provider, end } = await open(below, service, clock, log)
  await store.create(db, bytes('{}'))
  service.failure = 'the vault is sealed'
  await clock.advance(60_000)
  await until('it failed', () => failures.length > 0)
  assert.equal(failures, [
    ['key service failed', { name: 'vault', failure: 'FAILED_PRECONDITION: the vault is sealed' }],
  ])
  assert.throws(() => provider?.check?.(), /^vault: FAILED_PRECONDITION: the vault is sealed$/)
  await store.create(`${db}2`, bytes('{}'))
  const later = clock.monotonic() + 180_000
  await until('three minutes have passed', async () => {
    await clock.advance(5000)
    return clock.monotonic() > later
  })
  const refused = await store.create(`${db}3`, bytes('{}')).then(
    () => new Error('it was written'),
    (error: Error) => error,
  )
  assert.is(
    refused.message,
    'nothing is encrypted: the key service "vault" fails: FAILED_PRECONDITION: the vault is sealed',
  )
  assert.is(text((await store.get(db))?.value), '{}')
  await end()
  await below.close()
  service.stop()
})

test('changes that only a key service which is away can decrypt come when it is back', async () => {
  const service = await startKeyService()
  const below = await memory()
  const clock = fakeClock()
  const [reader, writer] = [await open(below, service, clock), await open(below, service)]
  const abort = new AbortController()
  const start = await below.revision()
  const seen: (string | undefined)[] = []
  const following = (async () => {
    for await (const changes of reader.store.changes(start, abort.signal)) {
      seen.push(...changes.map(({ value }) => text(value)))
      abort.abort()
    }
  })()
  service.failure = 'the vault is sealed'
  await writer.store.create(db, bytes('{"a":1}'))
  await until('it is said', async () => {
    await clock.advance(1000)
    return reader.store.check().then(
      () => false,
      ({ message }: Error) => message.includes('the vault is sealed'),
    )
  })
  service.failure = undefined
  await until('it is decrypted', async () => {
    await clock.advance(500)
    return seen.length > 0
  })
  await following
  assert.equal(seen, ['{"a":1}'])
  for (const each of [reader, writer]) await each.end()
  await below.close()
  service.stop()
})

test('what a service may not say is refused: another version, no key, another key than it uses', async () => {
  const service = await startKeyService()
  for (const [change, reason] of [
    [{ healthz: 'sealed' }, 'it says that it is not well: sealed'],
    [{ healthz: 'ok', keyId: '' }, 'it gave an empty key id'],
    [{ keyId: 'k'.repeat(1025) }, 'it gave a key id of 1025 bytes; 1024 are allowed'],
  ] as const) {
    Object.assign(service, change)
    const below = await memory()
    const { store, provider, end } = await open(below, service)
    assert.throws(() => provider?.check?.(), new RegExp(reason))
    await store.create(db, bytes('{}')).then(
      () => assert.unreachable(),
      (error: Error) => assert.match(error.message, reason),
    )
    await end()
    await below.close()
  }
  service.stop()
})

test('a service that starts later than the server is waited for', async () => {
  const service = await startKeyService()
  const below = await memory()
  const first = await open(below, service)
  await first.store.create(db, bytes('{}'))
  await first.end()
  service.failure = 'not yet'
  const waited: string[] = []
  const log: Log = { ...silentLog, warn: (event) => void waited.push(event) }
  const again = await open(below, service, systemClock, log)
  const reading = again.store.get(db)
  await until('it was waited for', () => waited.length > 0)
  service.failure = undefined
  assert.is(text((await reading)?.value), '{}')
  await again.end()
  await below.close()
  service.stop()
})

test.run()
