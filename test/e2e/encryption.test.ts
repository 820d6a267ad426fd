/** A key that is changed as an administrator changes it: a file, a running daemon, a command, and nothing secret in what they say. */
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  apiserverCommand,
  orchCommand,
  type Running,
  runNode,
  startProgram,
} from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'
import { until } from '../support/until.ts'

const test = suite('e2e: encryption at rest')

const key = (name: string) => ({ name, secret: randomBytes(32).toString('base64') })

function configuration(...providers: readonly object[]): string {
  return JSON.stringify({
    apiVersion: 'apiserver.config.orch.io/v1',
    kind: 'EncryptionConfiguration',
    resources: [{ resources: ['secrets'], providers }],
  })
}

/** Writes a file as others see it: the old one whole, or the new one whole. */
function replace(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

/** The bytes of every file of a folder that begins with a name. */
function bytesOf(folder: string, name: string): Buffer {
  const names = readdirSync(folder).filter((each) => each.startsWith(name))
  return Buffer.concat(names.map((each) => readFileSync(join(folder, each))))
}

/** The server of a test. */
let running: Running | undefined

test('a key is changed while the server runs: file, orch migrate-storage, file', async () => {
  const [folder, k1, k2] = [tempDirectory(), key('k1'), key('k2')]
  const file = join(folder, 'encryption.json')
  const planted = 'a-secret-that-was-planted'
  replace(file, configuration({ identity: {} }))
  const server = await startProgram(apiserverCommand, [
    '--insecure-port=0',
    `--storage=sqlite:${join(folder, 'orch.db')}`,
    `--encryption-provider-config=${file}`,
    '--encryption-provider-config-automatic-reload',
    '--watch-history=0s',
  ])
  running = server
  let said = ''
  server.process.stderr?.on('data', (text: string) => {
    said += text
  })
  const told = (what: string, times: number) =>
    until(`"${what}" ${times} times`, () => said.split(what).length === times + 1)
  const taken = (times: number) => told('files were read again', times)
  const refused = (times: number) => told('files cannot be used', times)
  const migrate = (...args: string[]) => {
    const client = join(folder, 'client.json')
    const cluster = { name: 'here', cluster: { server: server.url } }
    const context = { name: 'here', context: { cluster: 'here', user: 'me' } }
    writeFileSync(
      client,
      JSON.stringify({
        clusters: [cluster],
        contexts: [context],
        users: [{ name: 'me', user: {} }],
        'current-context': 'here',
      }),
    )
    return runNode(orchCommand, ['migrate-storage', '--kubeconfig', client, ...args])
  }
  const path = `${server.url}/api/v1/namespaces/default/secrets`
  for (let at = 0; at < 20; at++) {
    const response = await fetch(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ metadata: { name: `s${at}` }, stringData: { password: planted } }),
    })
    assert.is(response.status, 201, await response.text())
  }

  replace(file, configuration({ aescbc: { keys: [k1] } }, { identity: {} }))
  await taken(1)
  assert.equal(await migrate('secrets'), {
    code: 0,
    stdout: 'secrets: 20 objects, 20 stored anew\n',
    stderr: '',
  })
  assert.is((await migrate('secrets')).stdout, 'secrets: 20 objects, 0 stored anew\n')

  replace(file, configuration({ secretbox: { keys: [k2] } }))
  await refused(1)
  assert.match(said, 'aescbc with the key \\"k1\\", which is not among its providers')
  replace(file, '{"kind": "EncryptionConfiguration", ')
  await refused(2)
  replace(file, configuration({ secretbox: { keys: [k2] } }, { aescbc: { keys: [k1] } }))
  await taken(2)
  assert.match((await migrate()).stdout, 'secrets: 20 objects, 20 stored anew\n')
  replace(file, configuration({ secretbox: { keys: [k2] } }))
  await taken(3)
  const metrics = await (await fetch(`${server.url}/metrics`)).text()
  const name = 'apiserver_encryption_config_controller_automatic_reload'
  assert.match(metrics, `\n${name}_success_total 3\n`)
  assert.match(metrics, `\n${name}_failures_total 2\n`)
  const list = (await (await fetch(path)).json()) as { items: { data: { password: string } }[] }
  assert.equal(new Set(list.items.map(({ data }) => atob(data.password))), new Set([planted]))
  assert.is(await server.stop(), 0)
  const stored = bytesOf(folder, 'orch.db').toString('latin1')
  assert.is(stored.split('orch:enc:secretbox:v1:k2:').length > 20, true)
  for (const secret of [k1.secret, k2.secret]) assert.not.ok((said + stored).includes(secret))
  assert.not.ok(said.includes(planted))
})

test.after.each(async () => {
  await running?.stop()
  running = undefined
})

test('everything that is wrong with the file is told with its place, and no secret of it', async () => {
  const file = join(tempDirectory(), 'encryption.yaml')
  const secret = btoa('not-a-key-that-was-planted')
  writeFileSync(
    file,
    `apiVersion: apiserver.config.orch.io/v1
kind: EncryptionConfiguration
resources:
- resources: [secrets, secrets, '*', Pods, 'x.*', '*.', events.events.orch.io]
  providers:
  - aescbc: {keys: [{name: a, secret: ${secret}}]}
- resources: ['*.*']
  providers:
  - kms: {name: vault, endpoint: 'unix:///vault'}
  - kms: {name: vault, apiVersion: v2, endpoint: 'unix:///vault'}
- resources: [deployments.apps]
  providers:
  - identity: {}
`,
  )
  const { code, stderr } = await runNode(apiserverCommand, [`--encryption-provider-config=${file}`])
  assert.is(code, 1)
  assert.match(stderr, `${file}:4:24: resources[0].resources[1]: Duplicate value: "secrets"`)
  assert.match(
    stderr,
    `${file}:6:39: resources[0].providers[0].aescbc.keys[0].secret: must be base64`,
  )
  assert.not.ok(stderr.includes(secret))
  const checked = await runNode(orchCommand, ['config', 'check', file])
  assert.match(checked.stderr + checked.stdout, `secret: ${'*'.repeat(secret.length)}`)
  assert.not.ok((checked.stderr + checked.stdout).includes(secret))
  const text = readFileSync(file, 'utf8')
    .replace(secret, btoa('k'.repeat(16)))
    .replace('secrets, secrets', 'secrets')
  writeFileSync(file, text)
  const again = await runNode(apiserverCommand, [`--encryption-provider-config=${file}`])
  for (const line of [
    ':4:24: resources[0].resources[1]: must be "*." for the core group or "*.*" for everything',
    ':4:29: resources[0].resources[2]: must have no capital letters',
    ':4:35: resources[0].resources[3]: must be of one group, or "*.*" for everything',
    ':4:48: resources[0].resources[5]: must be events: these objects are stored under that name',
    ':9:10: resources[1].providers[0].kms.apiVersion: version v1 of the interface is not supported: set it to v2',
    ':10:17: resources[1].providers[1].kms.name: another provider is named "vault": names must differ',
    ':11:15: resources[2].resources[0]: an earlier entry names "*.*", which stands for it, too: put this entry before that one',
  ]) {
    assert.match(again.stderr, `${file}${line}`)
  }
  const lonely = await runNode(apiserverCommand, ['--encryption-provider-config-automatic-reload'])
  assert.match(
    lonely.stderr,
    '--encryption-provider-config-automatic-reload needs --encryption-provider-config',
  )
})

test('orch migrate-storage says what is wrong with a name and where nobody answers', async () => {
  const file = join(tempDirectory(), 'client.json')
  const cluster = { name: 'gone', cluster: { server: 'http://127.0.0.1:9' } }
  const context = { name: 'gone', context: { cluster: 'gone', user: 'me' } }
  writeFileSync(
    file,
    JSON.stringify({
      clusters: [cluster],
      contexts: [context],
      users: [{ name: 'me', user: {} }],
      'current-context': 'gone',
    }),
  )
  const gone = await runNode(orchCommand, ['migrate-storage', '--kubeconfig', file])
  assert.is(gone.code, 1)
  assert.match(gone.stderr, '127.0.0.1:9')
  const wrong = await runNode(orchCommand, ['migrate-storage', '--concurrency', '0'])
  assert.is(wrong.code, 2)
  assert.match(wrong.stderr, '--concurrency must be a number from 1 to 1000')
})

test.run()
