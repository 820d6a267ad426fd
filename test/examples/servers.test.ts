/** The files of `examples/servers` are right: manifests by their rules, and what they start by its flags. */
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parse, parseAllDocuments } from 'yaml'
import { createAuthority, issueCertificate } from '../../runtime/certificates/certificates.ts'
import { apiserverCommand, orchCommand, runNode } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'

const test = suite('examples/servers')

const folder = fileURLToPath(new URL('../../../examples/servers/', import.meta.url))
const read = (file: string): string => readFileSync(join(folder, file), 'utf8')
// biome-ignore lint/suspicious/noExplicitAny: files are looked into freely
type Anything = any

const compose: Anything = parse(read('compose.yaml'), { merge: true })
const manifests: readonly Anything[] = parseAllDocuments(read('kubernetes.yaml')).map((one) =>
  one.toJS(),
)
const deployment = manifests.find(({ kind }) => kind === 'Deployment')

test('orch validate finds nothing in the manifests', async () => {
  const { code, stdout, stderr } = await runNode(orchCommand, [
    'validate',
    join(folder, 'kubernetes.yaml'),
  ])
  assert.equal([code, stderr], [0, ''], stdout)
})

test('the flags of the Compose file and of the Deployment are those of the daemon, with the files that the guide makes', async () => {
  const secrets = await madeSecrets()
  const { command } = compose.services['api-1']
  const { args } = deployment.spec.template.spec.containers[0]
  for (const flags of [command, args] as readonly (readonly string[])[]) {
    const here = flags.map((flag) => flag.replace('/etc/orch/', `${secrets}/`))
    const { code, stderr } = await runNode(apiserverCommand, [...here, '--check-config'])
    assert.equal([code, stderr], [0, ''])
  }
})

test('the load balancer knows all servers, and every service that another one needs is there', () => {
  const servers = Object.keys(compose.services).filter((name) => name.startsWith('api-'))
  const backends = read('haproxy.cfg')
    .split(/^backend /m)
    .slice(1)
  for (const backend of backends) {
    const known = [...backend.matchAll(/^ {2}server (\S+) \1:6443$/gm)].map(([, name]) => name)
    assert.equal(known, servers)
  }
  for (const service of Object.values<Anything>(compose.services)) {
    for (const name of Object.keys(service.depends_on ?? {})) {
      const names = Array.isArray(service.depends_on) ? service.depends_on : [name]
      for (const one of names) assert.ok(compose.services[one], one)
    }
  }
})

test('the guide names every file that the Compose file and the manifests mount', () => {
  const guide = readFileSync(join(folder, '../../docs/guide/servers.md'), 'utf8')
  const used = `${read('compose.yaml')}${read('kubernetes.yaml')}`.matchAll(
    /\/etc\/orch\/([\w.-]+)/g,
  )
  for (const [, file = ''] of used) assert.match(guide, file)
})

test('the servers run as the user who owns their private keys, whom the guide writes down', () => {
  const guide = readFileSync(join(folder, '../../docs/guide/servers.md'), 'utf8')
  const [, name = ''] = /^\$\{(\w+):-1000:1000\}$/.exec(compose.services['api-1'].user) ?? []
  assert.match(guide, `echo "${name}=$(id -u):$(id -g)" > ../.env`)
})

/** Files under the names that the guide gives them. */
async function madeSecrets(): Promise<string> {
  const secrets = tempDirectory()
  const lasts = { validFrom: Date.now() - 60_000, validUntil: Date.now() + 86_400_000 }
  const authority = await createAuthority({ ...lasts, commonName: 'orch' })
  const facts = { ...lasts, commonName: 'orch-apiserver', hosts: ['localhost'] }
  const server = await issueCertificate({ ...facts, usages: ['server'] }, authority)
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' })
  const database = 'host = database\nuser = orch\npassword = a\ndbname = orch\nsslmode = disable\n'
  const files = {
    'ca.crt': authority.cert,
    'server.crt': server.cert,
    'server.key': server.key,
    'service-accounts.key': key,
    'database.conf': database,
  }
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(secrets, name), text, { mode: 0o600 })
  }
  return secrets
}

test.run()
