/** The controllers of a controller manager with one another. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { controllers } from '../../../generated/controllers.ts'
import { options } from '../../../generated/options/orch-controller-manager.ts'
import { scheme } from '../../../generated/scheme.ts'
import { discoveryMs } from '../../../runtime/controller-manager/contract/followed-kinds.ts'
import { defaultConfiguration } from '../../../runtime/controller-manager/controller-manager.ts'
import { startAlphaPlane } from '../../support/alpha-plane.ts'

const test = suite('runtime/controller-manager: all controllers together')

const gates = [...new Set(controllers.flatMap((one) => one.gates ?? []))]
/** Those that need keys, certificates or ranges, and the status of policies, which a server keeps itself. */
const idle = new Set<string>([
  'certificatesigningrequest-signing-controller',
  'node-ipam-controller',
  'root-ca-certificate-publisher-controller',
  'serviceaccount-token-controller',
  'validatingadmissionpolicy-status-controller',
])
const names = controllers
  .filter(({ controller, cloud }) => cloud !== true && !idle.has(controller))
  .map((one) => one.controller)

for (const platform of ['orch', 'kubernetes']) {
  // J-07
  test(`all of them run in one process with every gate that one of them needs, on ${platform}`, async () => {
    await using plane = await startAlphaPlane(platform, names, ...gates)
    await plane.ready
    assert.equal([...plane.controllers].sort(), [...names].sort())
  })
}

// J-09
test('each is an account that roles are bound to, but the one that makes tokens for accounts', async () => {
  const access = await scheme.access!()
  const bound = (rows: typeof access.clusterRoleBindings) => (account: string) =>
    rows.some(({ subjects }) =>
      subjects.some(({ kind, name }) => kind === 'ServiceAccount' && name === account),
    )
  const [inCluster, inNamespace] = [bound(access.clusterRoleBindings), bound(access.roleBindings)]
  const without = controllers.filter(({ account }) => !inCluster(account) && !inNamespace(account))
  assert.equal(
    without.map(({ controller }) => controller),
    ['serviceaccount-token-controller'],
  )
})

// J-11
test('what document 2 gives no default has that of the release', async () => {
  const { DaemonSetController, EndpointController } = await defaultConfiguration()
  assert.is(DaemonSetController.ConcurrentDaemonSetSyncs, 2)
  assert.is(EndpointController.EndpointUpdatesBatchPeriod, '0s')
  const flags = options.sections.flatMap((section) => section.options.map(({ flag }) => flag))
  assert.not.ok(flags.includes('pod-eviction-timeout'))
  assert.is(discoveryMs, 30_000)
})

test.run()
