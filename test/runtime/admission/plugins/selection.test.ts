import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { options } from '../../../../generated/options/orch-apiserver.ts'
import { selectionProblems } from '../../../../runtime/admission/admission.ts'
import { plugins } from '../../../../runtime/admission/plugins/plugins.ts'
import { selectPlugins } from '../../../../runtime/admission/plugins/selection.ts'
import { virtualClock } from '../../../../runtime/testing/testing.ts'
import { make, openAdmitted, pod } from '../../../support/admission.ts'
import { assertRejects } from '../../../support/rejects.ts'
import { until } from '../../../support/until.ts'

const test = suite('runtime/admission: selection')

test('plugins stand in their order, whatever order they are named in (Q-01)', () => {
  const names = selectPlugins({ enable: ['AlwaysDeny', 'AlwaysPullImages'] }).map(
    ({ name }) => name,
  )
  assert.is(names[0], 'NamespaceLifecycle')
  assert.is(names.at(-1), 'AlwaysDeny')
  assert.ok(names.indexOf('AlwaysPullImages') < names.indexOf('Priority'))
  assert.not.ok(selectPlugins({ disable: ['Priority'] }).some(({ name }) => name === 'Priority'))
})

/** The order of the release, and after a star what is on by default in it. */
const release =
  'AlwaysAdmit, NamespaceAutoProvision, *NamespaceLifecycle, NamespaceExists, SecurityContextDeny, ' +
  'LimitPodHardAntiAffinityTopology, *LimitRanger, *ServiceAccount, NodeRestriction, *TaintNodesByCondition, ' +
  'AlwaysPullImages, ImagePolicyWebhook, *PodSecurity, PodNodeSelector, *Priority, *DefaultTolerationSeconds, ' +
  'PodTolerationRestriction, EventRateLimit, ExtendedResourceToleration, PersistentVolumeLabel, *DefaultStorageClass, ' +
  '*StorageObjectInUseProtection, OwnerReferencesPermissionEnforcement, *PersistentVolumeClaimResize, *RuntimeClass, ' +
  '*CertificateApproval, *CertificateSigning, *ClusterTrustBundleAttest, *CertificateSubjectRestriction, ' +
  '*DefaultIngressClass, DenyServiceExternalIPs, *MutatingAdmissionWebhook, *ValidatingAdmissionPolicy, ' +
  '*ValidatingAdmissionWebhook, *ResourceQuota, AlwaysDeny'

test('every plugin of the release has its name and place, on or off as there (Q-01, Q-27)', () => {
  const ours = plugins
    .map(({ name, enabledByDefault: byDefault }) => `${byDefault ? '*' : ''}${name}`)
    .join(', ')
  assert.is(ours, release)
})

test('the help names the plugins that can be turned on and off (Q-01)', () => {
  const listed = (flag: string) => {
    const option = options.sections
      .flatMap((section) => section.options)
      .find((one) => one.flag === flag)
    return /: ([A-Za-z, ]+)\./.exec(option?.description ?? '')?.[1]?.split(', ')
  }
  const named = (on: boolean) =>
    plugins
      .filter(
        ({ enabledByDefault: byDefault, create: make }) => make && (byDefault ?? false) === on,
      )
      .map(({ name }) => name)
      .sort()
  assert.equal(listed('enable-admission-plugins'), named(false))
  assert.equal(listed('disable-admission-plugins'), named(true))
})

test('a selection that cannot be meant is told (Q-01, Q-27)', () => {
  const problems = selectionProblems({
    enable: ['Prioriti', 'Priority', 'EventRateLimit'],
    disable: ['Priority', 'Nothing'],
  })
  assert.equal(problems, [
    'enable-admission-plugins plugin "Prioriti" is unknown; did you mean Priority?',
    'enable-admission-plugins plugin "EventRateLimit" is known by name only: this server does not do what it stands for',
    'disable-admission-plugins plugin "Nothing" is unknown',
    'Priority in enable-admission-plugins and disable-admission-plugins overlapped',
  ])
  assert.equal(selectionProblems({ disable: ['EventRateLimit'] }), [])
})

test('plugins are turned on and off (Q-01, Q-27)', async () => {
  const opened = await openAdmitted({ only: ['NamespaceLifecycle'] })
  await make(opened, 'api/v1/pods', pod('a'))
  await opened.close()
  const closed = await openAdmitted({ enable: ['AlwaysPullImages'], disable: ['Priority'] })
  const { object } = await make<{ readonly spec: Record<string, unknown> }>(
    closed,
    'api/v1/pods',
    pod('b'),
  )
  assert.is(object.spec.priority, undefined)
  const [container] = object.spec.containers as readonly { readonly imagePullPolicy: string }[]
  assert.is(container?.imagePullPolicy, 'Always')
  await closed.close()
})

test('who asks for a device may go where it is (Q-27)', async () => {
  const opened = await openAdmitted({
    only: ['NamespaceLifecycle', 'ExtendedResourceToleration', 'LimitPodHardAntiAffinityTopology'],
  })
  const resources = {
    requests: { 'example.com/gpu': '1', cpu: '1' },
    limits: { 'example.com/gpu': '1' },
  }
  const containers = [{ name: 'main', image: 'example/app:1', resources }]
  const { object } = await make<{ readonly spec: Record<string, unknown> }>(
    opened,
    'api/v1/pods',
    pod('device', { containers }),
  )
  assert.equal(object.spec.tolerations, [
    { key: 'example.com/gpu', operator: 'Exists', effect: 'NoSchedule' },
  ])
  const away = (topologyKey: string) => {
    const term = { topologyKey, labelSelector: { matchLabels: { a: 'b' } } }
    const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [term] }
    return { affinity: { podAntiAffinity } }
  }
  await make(opened, 'api/v1/pods', pod('node', away('orch.io/hostname')))
  const zone = pod('zone', away('topology.orch.io/zone'))
  const error = await assertRejects(make(opened, 'api/v1/pods', zone), 'Forbidden')
  assert.is(
    error.message,
    'pods "zone" is forbidden: affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey topology.orch.io/zone but only key orch.io/hostname is allowed',
  )
  await opened.close()
})

test('claims are protected while a controller manager holds its lease, which ends that (X-21, Q-01)', async () => {
  const clock = virtualClock(Date.parse('2026-01-01T00:00:00Z'))
  const opened = await openAdmitted({}, clock)
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
  let count = 0
  const isProtected = async () => {
    const claim = { metadata: { name: `c${count++}` }, spec }
    const { object } = await make<{ metadata: { finalizers?: readonly string[] } }>(
      opened,
      'api/v1/persistentvolumeclaims',
      claim,
    )
    return object.metadata.finalizers?.includes('orch.io/pvc-protection') === true
  }
  assert.is(await isProtected(), false)
  await make(opened, 'apis/coordination.orch.io/v1/leases', {
    metadata: { name: 'orch-controller-manager', namespace: 'orch-system' },
    spec: {
      ...{ holderIdentity: 'a', leaseDurationSeconds: 15 },
      ...{ renewTime: '2026-01-01T00:00:00.000000Z' },
    },
  })
  await until('claims are protected', isProtected)
  await clock.advance(15_000)
  assert.is(await isProtected(), false)
  await opened.close()
})

test.run()
