import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { EncryptionConfiguration } from '../../../generated/config/encryption/v1.ts'
import { scheme } from '../../../generated/scheme.ts'
import { type RunningApiServer, startApiServer } from '../../../runtime/apiserver/apiserver.ts'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import { silentLog } from '../../../runtime/observe/observe.ts'
import { openStore } from '../../../runtime/store/store.ts'
import { startKeyService } from '../../support/key-service.ts'
import { tempDirectory } from '../../support/temp.ts'

const test = suite('runtime/apiserver: encryption at rest')

const key = (name: string) => ({ name, secret: randomBytes(32).toString('base64') })
const [k1, k2] = [key('k1'), key('k2')]

type Providers = EncryptionConfiguration['resources'][number]['providers']

const secrets = (...providers: Providers): EncryptionConfiguration => ({
  resources: [{ resources: ['secrets'], providers }],
})

function start(file: string, encryption?: EncryptionConfiguration): Promise<RunningApiServer> {
  return startApiServer({
    scheme,
    storage: { kind: 'sqlite', file },
    clock: systemClock,
    log: silentLog,
    listen: { port: 0 },
    historyMs: 0,
    ...(encryption && { encryption }),
  })
}

async function request(server: RunningApiServer, method: string, path: string, body?: object) {
  const response = await fetch(`${server.url}${path}`, {
    method,
    ...(body && { body: JSON.stringify(body) }),
    headers: { 'Content-Type': 'application/json' },
  })
  return { status: response.status, body: (await response.json()) as Body }
}

interface Body {
  readonly message: string
  readonly metadata: { readonly resourceVersion: string }
  readonly data: { readonly password: string }
}

const path = '/api/v1/namespaces/default/secrets'
const planted = 'a-secret-that-was-planted'
const secret = { metadata: { name: 'db' }, data: { password: btoa(planted) } }

/** True if the secret stands in any file of the database as it is. */
function isInFiles(file: string): boolean {
  const files = readdirSync(dirname(file), { withFileTypes: true }).filter((one) => one.isFile())
  return files.some(({ name }) => readFileSync(join(dirname(file), name)).includes(btoa(planted)))
}

test('what clients read is what they wrote; no file of the database has it', async () => {
  const file = join(tempDirectory(), 'orch.db')
  const server = await start(file, secrets({ aescbc: { keys: [k1] } }))
  assert.is((await request(server, 'POST', path, secret)).status, 201)
  assert.is((await request(server, 'GET', `${path}/db`)).body.data.password, btoa(planted))
  assert.not.ok(isInFiles(file))
  const metrics = await (await fetch(`${server.url}/metrics`)).text()
  const labels =
    'resource="secrets",transformation_type="to_storage",transformer_prefix="orch:enc:aescbc:v1:"'
  assert.match(
    metrics,
    `apiserver_storage_transformation_operations_total{${labels},status="OK"} 1\n`,
  )
  assert.match(metrics, `apiserver_storage_transformation_duration_seconds_count{${labels}} 1\n`)
  await server.stop()
  assert.not.ok(isInFiles(file))
  const again = await start(file, secrets({ aescbc: { keys: [k1] } }))
  assert.is((await request(again, 'GET', `${path}/db`)).body.data.password, btoa(planted))
  await again.stop()
})

test('an update that changes nothing is a write where the key is another, and no write after that', async () => {
  const file = join(tempDirectory(), 'orch.db')
  const plain = await start(file)
  await request(plain, 'POST', path, secret)
  await plain.stop()
  assert.ok(isInFiles(file))
  const server = await start(file, secrets({ secretbox: { keys: [k1] } }, { identity: {} }))
  const { body } = await request(server, 'GET', `${path}/db`)
  const written = await request(server, 'PUT', `${path}/db`, body)
  const version = written.body.metadata.resourceVersion
  assert.is.not(version, body.metadata.resourceVersion)
  const same = await request(server, 'PUT', `${path}/db`, written.body)
  assert.is(same.body.metadata.resourceVersion, version)
  await server.stop()
})

test('what was stored as it is goes from the files once it was encrypted and forgotten', async () => {
  const file = join(tempDirectory(), 'orch.db')
  const plain = await start(file)
  await request(plain, 'POST', path, secret)
  await plain.stop()
  const server = await start(file, secrets({ aesgcm: { keys: [k1] } }, { identity: {} }))
  const { body } = await request(server, 'GET', `${path}/db`)
  await request(server, 'PUT', `${path}/db`, body)
  await server.stop()
  assert.ok(isInFiles(file))
  const store = await openStore({ kind: 'sqlite', file }, { clock: systemClock, erase: true })
  await store.compact(await store.revision())
  await store.close()
  assert.not.ok(isInFiles(file))
})

test('a server without the configuration says that it needs it, one with another key which one it needs', async () => {
  const file = join(tempDirectory(), 'orch.db')
  const server = await start(file, secrets({ aescbc: { keys: [k1] } }))
  await request(server, 'POST', path, secret)
  await server.stop()
  const refusal = (encryption?: EncryptionConfiguration): Promise<string> =>
    start(file, encryption).then(
      async (one) => {
        await one.stop()
        return 'it started'
      },
      (error: Error) => error.message,
    )
  assert.match(await refusal(), 'start with the file of --encryption-provider-config')
  assert.match(
    await refusal(secrets({ aescbc: { keys: [k2] } })),
    /^\/core\/secrets\/default\/db cannot be decrypted: it was encrypted by aescbc with the key "k1"/,
  )
  const other = { ...k2, name: 'k1' }
  assert.match(
    await refusal(secrets({ aescbc: { keys: [other] } })),
    'it was encrypted with another key of this name, or it is damaged',
  )
})

test('the configuration is replaced while the server runs; one that loses something is refused', async () => {
  const file = join(tempDirectory(), 'orch.db')
  const server = await start(file, secrets({ aescbc: { keys: [k1] } }))
  await request(server, 'POST', path, secret)
  const refused = await server.replaceEncryption(secrets({ aescbc: { keys: [k2] } })).then(
    () => 'it was taken',
    (error: Error) => error.message,
  )
  assert.match(refused, 'aescbc with the key "k1", which is not among its providers')
  await server.replaceEncryption(secrets({ aescbc: { keys: [k2, k1] } }))
  const { body } = await request(server, 'GET', `${path}/db`)
  await request(server, 'PUT', `${path}/db`, body)
  await server.replaceEncryption(secrets({ aescbc: { keys: [k2] } }))
  await server.stop()
  const again = await start(file, secrets({ aescbc: { keys: [k2] } }))
  assert.is((await request(again, 'GET', `${path}/db`)).body.data.password, btoa(planted))
  await again.stop()
})

test('a key service that is not well fails readiness and writes of what it encrypts, nothing else', async () => {
  const service = await startKeyService()
  service.healthz = 'sealed'
  const file = join(tempDirectory(), 'orch.db')
  const { endpoint } = service
  const kms = { apiVersion: 'v2', name: 'vault', endpoint, timeout: '3s' } as const
  const server = await start(file, secrets({ kms }))
  const health = await (await fetch(`${server.url}/readyz?verbose`)).text()
  assert.match(health, '[-]kms-providers failed: reason withheld')
  const refused = await request(server, 'POST', path, secret)
  assert.is(refused.status, 500)
  assert.match(refused.body.message, 'it says that it is not well: sealed')
  assert.is(
    (
      await request(server, 'POST', path.replace('secrets', 'configmaps'), {
        metadata: { name: 'db' },
      })
    ).status,
    201,
  )
  await server.stop()
  service.stop()
})

test.run()
