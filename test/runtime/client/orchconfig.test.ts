import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { loadConfig } from '../../../runtime/client/client.ts'
import { assertRejects } from '../../support/rejects.ts'

const test = suite<{ folder: string }>('runtime/client: orchconfig')

test.before.each(async (context) => {
  context.folder = await mkdtemp(join(tmpdir(), 'orchconfig-'))
})

test.after.each(({ folder }) => rm(folder, { recursive: true }))

const config = `
apiVersion: v1
kind: Config
current-context: here
contexts:
- { name: here, context: { cluster: one, user: ann, namespace: web } }
- { name: bare, context: { cluster: one } }
- { name: odd, context: { cluster: two, user: eve } }
clusters:
- { name: one, cluster: { server: 'https://127.0.0.1:6443', certificate-authority: ca.pem } }
- { name: two, cluster: { server: 'ftp://example.com' } }
users:
- { name: ann, user: { token: secret, client-key-data: ${Buffer.from('KEY').toString('base64')} } }
- { name: eve, user: { exec: { command: helper } } }
`

async function save(folder: string, text: string): Promise<string> {
  await writeFile(join(folder, 'ca.pem'), 'CA')
  const file = join(folder, 'orchconfig')
  await writeFile(file, text)
  return file
}

test('the current context says server, user and namespace', async ({ folder }) => {
  const file = await save(folder, config)
  assert.equal(await loadConfig(file), {
    server: 'https://127.0.0.1:6443',
    namespace: 'web',
    ca: 'CA',
    key: 'KEY',
    token: 'secret',
  })
})

test('a context may be asked for by name, and may have no user', async ({ folder }) => {
  const file = await save(folder, config)
  assert.equal(await loadConfig(file, 'bare'), {
    server: 'https://127.0.0.1:6443',
    namespace: 'default',
    ca: 'CA',
  })
})

test('JSON is read as well', async ({ folder }) => {
  const json = {
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c' } }],
    clusters: [{ name: 'c', cluster: { server: 'http://localhost:1' } }],
  }
  const file = await save(folder, JSON.stringify(json))
  assert.equal(await loadConfig(file), { server: 'http://localhost:1', namespace: 'default' })
})

const refused: readonly [string, string, string | undefined, string][] = [
  ['a context that is not there', config, 'nowhere', 'contexts has no entry named "nowhere"'],
  [
    'a user with a credential plugin',
    config,
    'odd',
    'user "eve" needs a credential plugin, which is not supported',
  ],
  ['a file without context', 'clusters: []', undefined, 'current-context is not set'],
  ['a file that is no mapping', '- 1', undefined, 'not a mapping'],
  ['a file that is no YAML', 'a: [', undefined, 'cannot be read as YAML'],
]

for (const [name, text, context, message] of refused) {
  test(`${name} is refused by file and reason`, async ({ folder }) => {
    const file = await save(folder, text)
    const error = await assertRejects(loadConfig(file, context), 'BadRequest')
    assert.is(error.message, `orchconfig ${file}: ${message}`)
  })
}

test('a file that is not there is named', async ({ folder }) => {
  const file = join(folder, 'none')
  const error = await assertRejects(loadConfig(file), 'BadRequest')
  assert.is(error.message, `orchconfig ${file}: cannot read ${file}`)
})

test.run()
