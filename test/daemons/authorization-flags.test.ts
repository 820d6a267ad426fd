/** The flags of authorization: which go together, and what is said of those that do not (Z-01). */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { authorizationSettings } from '../../daemons/apiserver/authorization-flags.ts'
import { configKinds } from '../../generated/config.ts'
import { options as table } from '../../generated/options/orch-apiserver.ts'
import { platform } from '../../generated/platform.ts'
import { parseOptions } from '../../runtime/config/config.ts'
import { tempDirectory } from '../support/temp.ts'

const test = suite('daemons: flags of authorization')

const folder = tempDirectory()
function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

async function settings(args: readonly string[], gates: readonly string[] = []) {
  const { options, errors } = parseOptions(table, args)
  assert.equal(errors, [])
  const on = new Set(gates)
  return authorizationSettings(options, { configKinds, platform, gates: { on } })
}

test('nothing is asked where everything is allowed', async () => {
  assert.equal(await settings([]), { problems: [] })
  assert.equal(await settings(['--authorization-mode', 'AlwaysAllow']), { problems: [] })
})

test('modes are kept in their order', async () => {
  const { authorization } = await settings(['--authorization-mode', 'Node,RBAC'])
  assert.equal(authorization?.modes, ['Node', 'RBAC'])
})

const wrong: readonly [args: readonly string[], problem: RegExp][] = [
  [['--authorization-mode', 'RBC'], /RBC is no mode; did you mean "RBAC"\?/],
  [['--authorization-mode', 'RBAC,Node,RBAC'], /RBAC is named twice/],
  [['--authorization-mode', 'ABAC'], /ABAC needs --authorization-policy-file/],
  [['--authorization-mode', 'Webhook'], /Webhook needs --authorization-webhook-config-file/],
  [['--authorization-policy-file', 'x'], /add ABAC to --authorization-mode, or leave the file out/],
  [['--authorization-webhook-version', 'v2'], /v2 has to be v1 or v1beta1/],
  [
    ['--authorization-mode', 'ABAC', '--authorization-policy-file', join(folder, 'gone')],
    /gone: ENOENT/,
  ],
  [
    ['--authorization-config', 'x', '--authorization-mode', 'RBAC'],
    /leave --authorization-mode out/,
  ],
  [
    ['--authorization-config', 'x'],
    /needs --feature-gates StructuredAuthorizationConfiguration=true/,
  ],
]
for (const [args, problem] of wrong) {
  test(`${args.join(' ').replace(folder, 'DIR')} is refused with what to do`, async () => {
    const { problems, authorization } = await settings(args)
    assert.is(authorization, undefined)
    assert.match(problems.join('\n'), problem)
  })
}

test('lines of a policy file that are wrong are named with file and number', async () => {
  const path = file('policies', '{}\n{"apiVersion":"x"}\nnonsense\n')
  const { problems } = await settings([
    '--authorization-mode',
    'ABAC',
    '--authorization-policy-file',
    path,
  ])
  assert.equal(problems, [
    `${path}: line 2: apiVersion has to be abac.authorization.orch.io/v1beta1`,
    `${path}: line 3: is not JSON`,
  ])
})

const head =
  'apiVersion: apiserver.orch.io/v1alpha1\nkind: AuthorizationConfiguration\nauthorizers:\n'
const gate = ['StructuredAuthorizationConfiguration']
const address = file(
  'webhook.yaml',
  `apiVersion: v1
kind: Config
clusters: [{ name: c, cluster: { server: 'https://127.0.0.1:1' } }]
contexts: [{ name: c, context: { cluster: c } }]
current-context: c
`,
)
const webhook = (condition: string, orchconfig = address) => `${head}
  - type: Webhook
    name: w
    webhook:
      timeout: 3s
      subjectAccessReviewVersion: v1
      matchConditionSubjectAccessReviewVersion: v1
      failurePolicy: Deny
      connectionInfo: { type: OrchConfigFile, orchConfigFile: ${orchconfig} }
      matchConditions:
        - expression: ${condition}
  - { type: RBAC, name: rbac }
`

test('a file says modes, webhooks and their conditions', async () => {
  const path = file('good.yaml', webhook(`"'dev' in request.groups"`))
  const { authorization, problems } = await settings(['--authorization-config', path], gate)
  assert.equal(problems, [])
  assert.equal(authorization?.modes, ['Webhook', 'RBAC'])
  const [made] = authorization?.webhooks ?? []
  const { orchconfig, onFailure, timeoutMs, allowedMs } = made ?? {}
  assert.equal([orchconfig, onFailure, timeoutMs, allowedMs], [address, 'Deny', 3000, 300_000])
  assert.is(made?.matches?.({ user: 'a', groups: ['dev'] }), true)
  assert.is(made?.matches?.({ user: 'a', groups: [] }), false)
  assert.throws(() => made?.matches?.({ user: 'a' }))
})

test('a file that is wrong is refused with every finding', async () => {
  const path = file('bad.yaml', `${head}  - { type: RBC, name: a }\n  - { type: RBAC, nam: b }\n`)
  const { problems } = await settings(['--authorization-config', path], gate)
  assert.ok(problems.length >= 2, problems.join('\n'))
  assert.match(problems.join('\n'), /bad\.yaml:4:/)
  const condition = file('condition.yaml', webhook('"request.user +"'))
  const second = await settings(['--authorization-config', condition], gate)
  assert.match(second.problems.join('\n'), /authorizer w: matchConditions\[0\]\.expression/)
})

test('a file whose webhook has no address is refused when it is read, not at the first question', async () => {
  const path = file('away.yaml', webhook('"true"', join(folder, 'away')))
  const { problems } = await settings(['--authorization-config', path], gate)
  assert.match(problems.join('\n'), /authorizer w: connectionInfo: .*away: .*no such file/)
})

test.run()
