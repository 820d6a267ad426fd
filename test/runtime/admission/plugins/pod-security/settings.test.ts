import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { PodSecurityConfiguration } from '../../../../../generated/config/podsecurity/v1.ts'
import { change, make, openAdmitted, pod } from '../../../../support/admission.ts'
import { type OpenRegistry, quiet } from '../../../../support/registry.ts'
import { assertRejects } from '../../../../support/rejects.ts'

const latest = 'latest'
const levels = { enforce: 'privileged', audit: 'privileged', warn: 'privileged' } as const
const versions = { 'enforce-version': latest, 'audit-version': latest, 'warn-version': latest }
const baseline: PodSecurityConfiguration = {
  defaults: { ...levels, ...versions, enforce: 'baseline', warn: 'restricted' },
  exemptions: { namespaces: ['tools'], runtimeClasses: ['sandbox'], usernames: ['ann'] },
}

const test = suite<OpenRegistry>('runtime/admission: settings of pod security')

test.before(async (context) => {
  const opened = await openAdmitted({ settings: { PodSecurity: baseline } })
  Object.assign(context, opened)
  await make(opened, 'api/v1/namespaces', { metadata: { name: 'tools' } })
  const labels = { 'pod-security.orch.io/enforce': 'privileged' }
  await make(opened, 'api/v1/namespaces', { metadata: { name: 'open', labels } })
  const strict = { 'pod-security.orch.io/warn': 'privileged' }
  await make(opened, 'api/v1/namespaces', { metadata: { name: 'quiet', labels: strict } })
  const handler = { metadata: { name: 'sandbox' }, handler: 'vm' }
  await make(opened, 'apis/node.orch.io/v1/runtimeclasses', handler)
})
test.after(({ close }) => close())

const host = { hostNetwork: true }
const at = (namespace: string) => ({ namespace })

test('a namespace without labels has the levels of the settings (Q-01, Q-20)', async (opened) => {
  const error = await assertRejects(make(opened, 'api/v1/pods', pod('a', host)), 'Forbidden')
  assert.is(
    error.message,
    'pods "a" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)',
  )
  const { warnings } = await make(opened, 'api/v1/pods', pod('b'))
  assert.is(warnings.length, 1)
  assert.match(warnings[0] ?? '', /^would violate PodSecurity "restricted:latest": /)
})

test('labels go before the levels of the settings, one by one (Q-01, Q-20)', async (opened) => {
  const loose = await make(opened, 'api/v1/pods', pod('a', host, at('open')))
  assert.match(loose.warnings[0] ?? '', /^would violate PodSecurity "restricted:latest": /)
  await assertRejects(make(opened, 'api/v1/pods', pod('a', host, at('quiet'))), 'Forbidden')
  const { warnings } = await make(opened, 'api/v1/pods', pod('b', {}, at('quiet')))
  assert.equal(warnings, [])
})

test('exempt namespaces, users and runtime classes are not looked at (Q-01, Q-20)', async (opened) => {
  const exempt = [pod('c', host, at('tools')), pod('d', { ...host, runtimeClassName: 'sandbox' })]
  for (const each of exempt) {
    assert.equal((await make(opened, 'api/v1/pods', each)).warnings, [])
  }
  const user = { username: 'ann', groups: [] }
  const { warnings } = await make(opened, 'api/v1/pods', pod('e', host), { ...quiet, user })
  assert.equal(warnings, [])
})

const labels = (fields: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [`pod-security.orch.io/${key}`, value]),
  )

test('who asks for a level in an exempt namespace hears that nobody holds it (Q-01, Q-20)', async (opened) => {
  const relabel = (fields: Readonly<Record<string, string | null>>) =>
    change(opened, 'api/v1/namespaces', 'tools', { metadata: { labels: labels(fields as never) } })
  const strict = await relabel({ enforce: 'restricted', 'warn-version': 'v1.20' })
  assert.equal(strict.warnings, [
    'namespace "tools" is exempt from Pod Security, and the policy (enforce=restricted:latest, warn=restricted:v1.20) will be ignored',
  ])
  assert.equal((await relabel({ other: 'x' })).warnings, [])
  assert.equal((await relabel({ enforce: 'privileged' })).warnings, [])
})

test('an exempt user hears of pods beyond a level, of exempt pods nobody does (Q-01, Q-20)', async (opened) => {
  await make(opened, 'api/v1/namespaces', {
    metadata: { name: 'later', labels: labels({ enforce: 'privileged' }) },
  })
  await make(opened, 'api/v1/pods', pod('seen', host, at('later')))
  const exempt = { ...host, runtimeClassName: 'sandbox' }
  await make(opened, 'api/v1/pods', pod('exempt', exempt, at('later')))
  const { warnings } = await change(
    opened,
    'api/v1/namespaces',
    'later',
    { metadata: { labels: labels({ enforce: 'baseline' }) } },
    { user: { username: 'ann', groups: [] } },
  )
  assert.equal(warnings, [
    'existing pods in namespace "later" violate the new PodSecurity enforce level "baseline:latest"',
    'seen: host namespaces',
  ])
})

test.run()
