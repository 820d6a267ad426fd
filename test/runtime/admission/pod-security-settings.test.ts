import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { PodSecurityConfiguration } from '../../../generated/config/podsecurity/v1.ts'
import { make, openAdmitted, pod } from '../../support/admission.ts'
import { type Opened, quiet } from '../../support/registry.ts'
import { rejects } from '../../support/rejects.ts'

const latest = 'latest'
const levels = { enforce: 'privileged', audit: 'privileged', warn: 'privileged' } as const
const versions = { 'enforce-version': latest, 'audit-version': latest, 'warn-version': latest }
const baseline: PodSecurityConfiguration = {
  defaults: { ...levels, ...versions, enforce: 'baseline', warn: 'restricted' },
  exemptions: { namespaces: ['tools'], runtimeClasses: ['sandbox'], usernames: ['ann'] },
}

const test = suite<Opened>('runtime/admission: settings of pod security')

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
  const error = await rejects(make(opened, 'api/v1/pods', pod('a', host)), 'Forbidden')
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
  await rejects(make(opened, 'api/v1/pods', pod('a', host, at('quiet'))), 'Forbidden')
  const { warnings } = await make(opened, 'api/v1/pods', pod('b', {}, at('quiet')))
  assert.equal(warnings, [])
})

test('exempt namespaces, users and runtime classes are not looked at (Q-01, Q-20)', async (opened) => {
  const exempt = [pod('c', host, at('tools')), pod('d', { ...host, runtimeClassName: 'sandbox' })]
  for (const each of exempt) {
    assert.equal((await make(opened, 'api/v1/pods', each)).warnings, [])
  }
  const caller = { username: 'ann', groups: [] }
  const { warnings } = await make(opened, 'api/v1/pods', pod('e', host), { ...quiet, caller })
  assert.equal(warnings, [])
})

test.run()
