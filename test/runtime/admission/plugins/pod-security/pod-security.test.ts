import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../../../generated/scheme.ts'
import { systemClock } from '../../../../../runtime/kernel/async/clock.ts'
import { enabledGatesOf } from '../../../../../runtime/kernel/descriptors/enabled-gates.ts'
import { change, make, openAdmitted, pod } from '../../../../support/admission.ts'
import { deployment, type OpenRegistry } from '../../../../support/registry.ts'
import { assertRejects } from '../../../../support/rejects.ts'

const test = suite<OpenRegistry>('runtime/admission: pod security')

test.before(async (context) => {
  const gates = new Set([...enabledGatesOf(scheme), 'ProcMountType'])
  Object.assign(context, await openAdmitted({}, systemClock, gates))
})
test.after(({ close }) => close())

let next = 0

async function labelled(
  opened: OpenRegistry,
  labels: Readonly<Record<string, string>>,
): Promise<string> {
  const namespace = `secure-${next++}`
  const full = Object.fromEntries(
    Object.entries(labels).map(([key, value]) => [`pod-security.orch.io/${key}`, value]),
  )
  await make(opened, 'api/v1/namespaces', { metadata: { name: namespace, labels: full } })
  return namespace
}

const image = 'example/app:1'
const main = (securityContext: object, more: object = {}) => ({
  containers: [{ name: 'main', image, securityContext, ...more }],
})

const safe = {
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  ...main({ allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } }),
}

/** Pods that a level refuses, with the text that says why. */
const refused: readonly [string, string, object, string][] = [
  [
    'baseline',
    'latest',
    { hostNetwork: true, hostPID: true, ...main({ privileged: true }) },
    'host namespaces (hostNetwork=true, hostPID=true), privileged (container "main" must not set securityContext.privileged=true)',
  ],
  [
    'baseline',
    'latest',
    main({ capabilities: { add: ['SYS_ADMIN', 'NET_ADMIN', 'CHOWN'] } }),
    'non-default capabilities (container "main" must not include "NET_ADMIN", "SYS_ADMIN" in securityContext.capabilities.add)',
  ],
  [
    'baseline',
    'latest',
    { ...main({}), volumes: [{ name: 'v', hostPath: { path: '/x' } }] },
    'hostPath volumes (volume "v")',
  ],
  [
    'baseline',
    'latest',
    main({}, { ports: [{ containerPort: 80, hostPort: 80 }] }),
    'hostPort (container "main" uses hostPort 80)',
  ],
  [
    'baseline',
    'latest',
    main({ procMount: 'Unmasked' }),
    'procMount (container "main" must not set securityContext.procMount to "Unmasked")',
  ],
  [
    'baseline',
    'latest',
    { ...main({}), securityContext: { seLinuxOptions: { type: 'spc_t', user: 'u' } } },
    'seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: type "spc_t"; user may not be set)',
  ],
  [
    'baseline',
    'latest',
    main({ seccompProfile: { type: 'Unconfined' } }),
    'seccompProfile (container "main" must not set securityContext.seccompProfile.type to "Unconfined")',
  ],
  [
    'baseline',
    'v1.26',
    {
      ...main({}),
      securityContext: { sysctls: [{ name: 'net.ipv4.ip_local_reserved_ports', value: '1' }] },
    },
    'forbidden sysctls (net.ipv4.ip_local_reserved_ports)',
  ],
  [
    'baseline',
    'latest',
    {
      containers: ['a', 'b'].map((name, index) => ({
        name,
        image,
        ports: [{ containerPort: 80, hostPort: 90 - index }, { containerPort: 81 }],
      })),
    },
    'hostPort (containers "a", "b" use hostPorts 89, 90)',
  ],
  [
    'baseline',
    'latest',
    { ...main({ seLinuxOptions: { role: 'r' } }), securityContext: { seLinuxOptions: {} } },
    'seLinuxOptions (container "main" set forbidden securityContext.seLinuxOptions: role may not be set)',
  ],
  [
    'baseline',
    'latest',
    {
      ...main({ windowsOptions: { hostProcess: true } }),
      hostNetwork: true,
      securityContext: { windowsOptions: { hostProcess: true } },
    },
    'host namespaces (hostNetwork=true), hostProcess (pod and container "main" must not set securityContext.windowsOptions.hostProcess=true)',
  ],
  [
    'baseline',
    'latest',
    {
      ...main({}),
      securityContext: {
        sysctls: ['vm.swappiness', 'kernel.msgmax', 'net.ipv4.tcp_syncookies'].map((name) => ({
          name,
          value: '1',
        })),
      },
    },
    'forbidden sysctls (vm.swappiness, kernel.msgmax)',
  ],
  [
    'restricted',
    'latest',
    main({}),
    'allowPrivilegeEscalation != false (container "main" must set securityContext.allowPrivilegeEscalation=false), ' +
      'unrestricted capabilities (container "main" must set securityContext.capabilities.drop=["ALL"]), ' +
      'runAsNonRoot != true (pod or container "main" must set securityContext.runAsNonRoot=true), ' +
      'seccompProfile (pod or container "main" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
  ],
  [
    'restricted',
    'v1.18',
    main({}),
    'allowPrivilegeEscalation != false (container "main" must set securityContext.allowPrivilegeEscalation=false), ' +
      'runAsNonRoot != true (pod or container "main" must set securityContext.runAsNonRoot=true)',
  ],
  [
    'restricted',
    'latest',
    {
      ...safe,
      securityContext: { ...safe.securityContext, runAsUser: 0 },
      volumes: [{ name: 'v', hostPath: { path: '/x' } }],
    },
    'restricted volume types (volume "v" uses restricted volume type "hostPath"), runAsUser=0 (pod must not set runAsUser=0)',
  ],
  [
    'restricted',
    'latest',
    { ...safe, securityContext: { ...safe.securityContext, runAsNonRoot: false } },
    'runAsNonRoot != true (pod must not set securityContext.runAsNonRoot=false)',
  ],
  [
    'restricted',
    'latest',
    {
      ...safe,
      ...main({
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE', 'CHOWN'] },
        runAsNonRoot: false,
        runAsUser: 0,
        seccompProfile: { type: 'Unconfined' },
      }),
    },
    'unrestricted capabilities (container "main" must not include "CHOWN" in securityContext.capabilities.add), ' +
      'runAsNonRoot != true (container "main" must not set securityContext.runAsNonRoot=false), ' +
      'runAsUser=0 (container "main" must not set runAsUser=0), ' +
      'seccompProfile (container "main" must not set securityContext.seccompProfile.type to "Unconfined")',
  ],
  [
    'restricted',
    'latest',
    {
      ...safe,
      volumes: [
        { name: 'c', nfs: { server: 's', path: '/x' } },
        { name: 'a', emptyDir: {} },
        { name: 'b', iscsi: { targetPortal: 't', iqn: 'iqn.2001-04.com.example:a', lun: 1 } },
      ],
    },
    'restricted volume types (volumes "c", "b" use restricted volume types "iscsi", "nfs")',
  ],
]

for (const [level, version, spec, why] of refused) {
  test(`${level} of ${version} refuses: ${why.slice(0, 60)} (Q-20)`, async (opened) => {
    const namespace = await labelled(opened, { enforce: level, 'enforce-version': version })
    const error = await assertRejects(
      make(opened, 'api/v1/pods', pod('p', spec, { namespace })),
      'Forbidden',
    )
    assert.is(
      error.message,
      `pods "p" is forbidden: violates PodSecurity "${level}:${version}": ${why}`,
    )
  })
}

const seccomp = 'seccomp.security.alpha.orch.io/pod'
const [ofMain, ofOther] = ['main', 'other'].map(
  (name) => `container.seccomp.security.alpha.orch.io/${name}`,
) as [string, string]
const armor = 'container.apparmor.security.beta.orch.io/main'

/** Annotations that say how a pod is confined, and what a release says of them. */
const annotated: readonly [string, Readonly<Record<string, string>>, string][] = [
  ['v1.18', { [seccomp]: 'unconfined' }, `forbidden annotation ${seccomp}="unconfined"`],
  [
    'v1.18',
    { [seccomp]: 'unconfined', [ofOther]: 'unconfined' },
    `forbidden annotation ${seccomp}="unconfined"`,
  ],
  [
    'v1.0',
    { [seccomp]: 'unconfined', [ofMain]: 'unconfined' },
    `forbidden annotations ${ofMain}="unconfined", ${seccomp}="unconfined"`,
  ],
]

for (const [version, annotations, detail] of annotated) {
  test(`baseline of ${version} refuses a profile of seccomp: ${detail} (Q-20)`, async (opened) => {
    const namespace = await labelled(opened, { enforce: 'baseline', 'enforce-version': version })
    const error = await assertRejects(
      make(opened, 'api/v1/pods', pod('p', {}, { namespace, annotations })),
      'Forbidden',
    )
    const [, why] = error.message.split(`"baseline:${version}": `)
    assert.is(why, `seccompProfile (${detail})`)
  })
}

test('profiles of a node, and those that come with it, are good enough for baseline (Q-20)', async (opened) => {
  const labels = { enforce: 'baseline', 'enforce-version': 'v1.18' }
  const namespace = await labelled(opened, labels)
  const values = ['runtime/default', 'docker/default', 'localhost/mine']
  for (const [index, value] of values.entries()) {
    const annotations = { [seccomp]: value, [ofMain]: value, [armor]: 'localhost/mine' }
    await make(opened, 'api/v1/pods', pod(`p${index}`, {}, { namespace, annotations }))
  }
  const annotations = { [armor]: 'unconfined' }
  const error = await assertRejects(
    make(opened, 'api/v1/pods', pod('q', {}, { namespace, annotations })),
    'Forbidden',
  )
  assert.match(error.message, `forbidden AppArmor profile (${armor}="unconfined")`)
})

test('since profiles are fields, annotations of seccomp mean nothing (Q-20)', async (opened) => {
  const namespace = await labelled(opened, { enforce: 'baseline', 'enforce-version': 'v1.19' })
  const annotations = { [ofMain]: 'unconfined' }
  await make(opened, 'api/v1/pods', pod('p', {}, { namespace, annotations }))
})

/** What is wrong with one pod, by the release whose rules are asked for. */
const everything = {
  hostPID: true,
  ...main({
    capabilities: { add: ['SYS_ADMIN'] },
    runAsUser: 0,
    seccompProfile: { type: 'Unconfined' },
  }),
  securityContext: { sysctls: [{ name: 'net.ipv4.tcp_keepalive_time', value: '1' }] },
  volumes: [{ name: 'v', hostPath: { path: '/x' } }],
}
const [escalation, capabilities, nonRoot] = [
  'allowPrivilegeEscalation != false',
  'unrestricted capabilities',
  'runAsNonRoot != true',
]
const always = ['restricted volume types', nonRoot]
const common = ['host namespaces']
const [added, sysctls] = ['non-default capabilities', 'forbidden sysctls']
const byVersion: readonly [string, readonly string[]][] = [
  ['v1.7', [added, ...common, sysctls, ...always]],
  ['v1.8', [added, ...common, sysctls, escalation, ...always]],
  ['v1.19', [added, ...common, sysctls, escalation, ...always, 'seccompProfile']],
  ['v1.22', [...common, sysctls, escalation, capabilities, ...always, 'seccompProfile']],
  [
    'v1.23',
    [...common, sysctls, escalation, capabilities, ...always, 'runAsUser=0', 'seccompProfile'],
  ],
  [
    'v1.28',
    [...common, sysctls, escalation, capabilities, ...always, 'runAsUser=0', 'seccompProfile'],
  ],
  ['v1.29', [...common, escalation, capabilities, ...always, 'runAsUser=0', 'seccompProfile']],
  ['latest', [...common, escalation, capabilities, ...always, 'runAsUser=0', 'seccompProfile']],
]

for (const [version, reasons] of byVersion) {
  test(`restricted asks what it asked for in ${version} (Q-20)`, async (opened) => {
    const namespace = await labelled(opened, { enforce: 'restricted', 'enforce-version': version })
    const error = await assertRejects(
      make(opened, 'api/v1/pods', pod('p', everything, { namespace })),
      'Forbidden',
    )
    const [, list = ''] = error.message.split(`"restricted:${version}": `)
    assert.equal(list.replaceAll(/ \([^)]*\)/g, '').split(', '), reasons)
  })
}

test('a level that a namespace warns of stands at its own version (Q-20)', async (opened) => {
  const labels = { enforce: 'baseline', 'enforce-version': 'v1.20', warn: 'restricted' }
  const namespace = await labelled(opened, labels)
  const { warnings } = await make(opened, 'api/v1/pods', pod('p', {}, { namespace }))
  assert.match(warnings[0] ?? '', 'would violate PodSecurity "restricted:latest"')
})

test('containers for debugging keep to the level, too (Q-20)', async (opened) => {
  const namespace = await labelled(opened, {})
  await make(opened, 'api/v1/pods', pod('p', {}, { namespace }))
  const enforce = { 'pod-security.orch.io/enforce': 'baseline' }
  await change(opened, 'api/v1/namespaces', namespace, { metadata: { labels: enforce } })
  const debug = (securityContext: object) => ({
    spec: { ephemeralContainers: [{ name: 'debug', image, securityContext }] },
  })
  const more = { namespace, subresource: 'ephemeralcontainers' }
  const error = await assertRejects(
    change(opened, 'api/v1/pods', 'p', debug({ privileged: true }), more),
    'Forbidden',
  )
  assert.is(
    error.message,
    'pods "p" is forbidden: violates PodSecurity "baseline:latest": privileged (container "debug" must not set securityContext.privileged=true)',
  )
  await change(opened, 'api/v1/pods', 'p', debug({}), more)
})

test('a safe pod comes in at every level (Q-20)', async (opened) => {
  const namespace = await labelled(opened, { enforce: 'restricted' })
  const { warnings } = await make(opened, 'api/v1/pods', pod('p', safe, { namespace }))
  assert.equal(warnings, [])
})

test('what runs on Windows is not asked for what means nothing there (Q-20)', async (opened) => {
  const namespace = await labelled(opened, { enforce: 'restricted' })
  const spec = { os: { name: 'windows' }, securityContext: { runAsNonRoot: true } }
  await make(opened, 'api/v1/pods', pod('p', spec, { namespace }))
})

test('changes of a pod that change nothing about its safety are not looked at (Q-20)', async (opened) => {
  const namespace = await labelled(opened, { warn: 'baseline' })
  const text = 'would violate PodSecurity "baseline:latest": host namespaces (hostIPC=true)'
  await make(opened, 'api/v1/pods', pod('p', { hostIPC: true }, { namespace }))
  const labels = { metadata: { labels: { a: 'b' } } }
  assert.equal((await change(opened, 'api/v1/pods', 'p', labels, { namespace })).warnings, [])
  const annotations = { metadata: { annotations: { [ofMain]: 'localhost/other' } } }
  assert.equal((await change(opened, 'api/v1/pods', 'p', annotations, { namespace })).warnings, [
    text,
  ])
})

test('what is warned of comes in with a warning, templates too (Q-20, Q-10)', async (opened) => {
  const namespace = await labelled(opened, { warn: 'baseline' })
  const bad = pod('p', { hostIPC: true }, { namespace })
  const text = 'would violate PodSecurity "baseline:latest": host namespaces (hostIPC=true)'
  assert.equal((await make(opened, 'api/v1/pods', bad)).warnings, [text])
  const web = deployment('web') as {
    metadata: object
    spec: { template: { spec: Record<string, unknown> } }
  }
  web.metadata = { name: 'web', namespace }
  web.spec.template.spec.hostIPC = true
  assert.equal((await make(opened, 'apis/apps/v1/deployments', { ...web })).warnings, [text])
})

test('what is enforced on pods is warned of on templates (Q-20)', async (opened) => {
  const namespace = await labelled(opened, { enforce: 'baseline' })
  const template = { metadata: { labels: { a: 'b' } }, spec: { ...pod('x').spec, hostPID: true } }
  const { warnings } = await make(opened, 'api/v1/podtemplates', {
    metadata: { name: 't', namespace },
    template,
  })
  assert.equal(warnings, [
    'would violate PodSecurity "baseline:latest": host namespaces (hostPID=true)',
  ])
})

test('labels that mean nothing are refused (Q-20)', async (opened) => {
  const error = await assertRejects(
    labelled(opened, { enforce: 'strict', 'warn-version': 'v2' }),
    'Invalid',
  )
  const name = `secure-${next - 1}`
  assert.is(
    error.message,
    `Namespace "${name}" is invalid: [metadata.labels[pod-security.orch.io/enforce]: Invalid value: "strict": must be one of privileged, baseline, restricted, ` +
      'metadata.labels[pod-security.orch.io/warn-version]: Invalid value: "v2": must be "latest" or "v1.x"]',
  )
})

test('who raises a level hears which pods are beyond it (Q-20)', async (opened) => {
  const namespace = await labelled(opened, {})
  for (const name of ['a', 'b']) {
    await make(opened, 'api/v1/pods', pod(name, { hostIPC: true }, { namespace }))
  }
  await make(opened, 'api/v1/pods', pod('c', main({ privileged: true }), { namespace }))
  const labels = { 'pod-security.orch.io/enforce': 'baseline' }
  const { warnings } = await change(opened, 'api/v1/namespaces', namespace, {
    metadata: { labels },
  })
  assert.equal(warnings, [
    `existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "baseline:latest"`,
    'a (and 1 other pod): host namespaces',
    'c: privileged',
  ])
  const relaxed = { 'pod-security.orch.io/enforce': 'privileged' }
  const after = await change(opened, 'api/v1/namespaces', namespace, {
    metadata: { labels: relaxed },
  })
  assert.equal(after.warnings, [])
})

test('of very many pods that are alike, one of each controller is looked at first (Q-20)', async (opened) => {
  const namespace = await labelled(opened, {})
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid: 'u', controller: true }
  const replica = (name: string) =>
    pod(name, { hostIPC: true }, { namespace, ownerReferences: [owner] })
  const names = Array.from({ length: 3000 }, (_, index) => `a${`${index}`.padStart(4, '0')}`)
  await Promise.all(names.map((name) => make(opened, 'api/v1/pods', replica(name))))
  await make(opened, 'api/v1/pods', pod('z', { hostPID: true }, { namespace }))
  await make(opened, 'api/v1/pods', pod('b', main({ privileged: true }), { namespace }))
  const labels = { 'pod-security.orch.io/enforce': 'baseline' }
  const { warnings } = await change(opened, 'api/v1/namespaces', namespace, {
    metadata: { labels },
  })
  assert.equal(warnings, [
    'new PodSecurity enforce level only checked against the first 3000 of 3002 existing pods',
    `existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "baseline:latest"`,
    'a0000 (and 2998 other pods): host namespaces',
    'b: privileged',
  ])
})

test('a pod that is there is looked at again when its image changes (Q-20)', async (opened) => {
  const namespace = await labelled(opened, {})
  await make(opened, 'api/v1/pods', pod('p', { hostIPC: true }, { namespace }))
  const labels = { 'pod-security.orch.io/enforce': 'baseline' }
  await change(opened, 'api/v1/namespaces', namespace, { metadata: { labels } })
  const label = { metadata: { labels: { a: 'b' } } }
  await change(opened, 'api/v1/pods', 'p', label, { namespace })
  const renewed = { spec: { containers: [{ name: 'main', image: 'example/app:2' }] } }
  await assertRejects(change(opened, 'api/v1/pods', 'p', renewed, { namespace }), 'Forbidden')
})

test.run()
