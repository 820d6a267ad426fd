/** Files with the addresses of webhooks are read at the start: a broken one keeps the server from starting. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../generated/scheme.ts'
import { startApiServer } from '../../runtime/apiserver/apiserver.ts'
import { systemClock } from '../../runtime/kernel/async/clock.ts'
import { silentLog } from '../../runtime/observe/observe.ts'
import { checkApiServer } from '../support/check-config.ts'
import { apiserverCommand, runNode } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'

const test = suite('daemons: files of webhooks')

const folder = tempDirectory()
const away = join(folder, 'away.yaml')
const broken = join(folder, 'broken.yaml')
await writeFile(
  broken,
  `apiVersion: v1
kind: Config
clusters: [{ name: c, cluster: { server: 'https://127.0.0.1:1', certificate-authority: ${folder}/none.crt } }]
users: [{ name: u, user: { token: PLANTED-TOKEN } }]
contexts: [{ name: c, context: { cluster: c, user: u } }]
current-context: c
`,
)
const policy = join(folder, 'policy.yaml')
await writeFile(
  policy,
  'apiVersion: audit.orch.io/v1\nkind: Policy\nrules: [{ level: Metadata }]\n',
)

const flags = [
  ['--authentication-token-webhook-config-file'],
  ['--authorization-webhook-config-file', '--authorization-mode=Webhook'],
  ['--audit-webhook-config-file', `--audit-policy-file=${policy}`],
] as const

for (const [flag, ...others] of flags) {
  test(`${flag}: a file that is away or broken is said with what is wrong, and nothing of its secrets`, async () => {
    const first = await checkApiServer(`${flag}=${away}`, ...others)
    assert.is(first.code, 1)
    assert.match(first.stderr, `orch-apiserver: ${flag}: `)
    assert.match(first.stderr, 'away.yaml: there is no such file')
    const second = await runNode(apiserverCommand, [`${flag}=${broken}`, ...others])
    assert.is(second.code, 1)
    assert.match(second.stderr, 'none.crt')
    assert.not.match(first.stderr + second.stderr + second.stdout, 'PLANTED')
  })
}

test('a server that a program starts fails at its start, too', async () => {
  const base = { scheme, storage: { kind: 'memory' as const }, clock: systemClock, log: silentLog }
  const version = 'v1' as const
  const starts = [
    { authentication: { webhook: { file: away } } },
    { authorization: { modes: ['Webhook' as const], webhooks: [{ orchconfig: away, version }] } },
  ]
  for (const options of starts) {
    const error = await startApiServer({ ...base, ...options }).catch((one: Error) => one)
    assert.instance(error, Error)
    assert.match((error as Error).message, 'away.yaml')
  }
})

test.run()
