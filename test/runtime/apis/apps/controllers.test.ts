import { equal } from 'uvu/assert'
import { deployments, kindAt } from '../../../support/registry.ts'
import type { Given, Stored } from '../outcome.ts'
import { creations, refusals, updates, writing } from '../tables.ts'

const test = writing('runtime/apis: controllers of pods')
const statefulSets = kindAt('apis/apps/v1/statefulsets')
const daemonSets = kindAt('apis/apps/v1/daemonsets')
const revisions = kindAt('apis/apps/v1/controllerrevisions')
const controllers = kindAt('api/v1/replicationcontrollers')
const templates = kindAt('api/v1/podtemplates')

const labels = { app: 'web' }
const container = { name: 'main', image: 'example/app' }
const template = { metadata: { labels }, spec: { containers: [container] } }
const set = (more: object = {}): Given => ({
  spec: { selector: { matchLabels: labels }, template, serviceName: 'web', ...more },
})
const daemons = (more: object = {}): Given => ({
  spec: { selector: { matchLabels: labels }, template, ...more },
})
const withSpec =
  (more: object) =>
  (object: Stored): Stored => ({ ...object, spec: { ...(object.spec as object), ...more } })
const at = (path: string) => (object: Stored) =>
  path
    .split('.')
    .reduce<unknown>((value, step) => (value as Record<string, unknown>)?.[step], object)

// I-01, I-30
creations(test, statefulSets, [
  [
    'a strategy that is left out is a rolling update from the first pod on',
    set(),
    at('spec.updateStrategy'),
    { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
  ],
  [
    'a strategy by type alone has no bounds',
    set({ updateStrategy: { type: 'RollingUpdate' } }),
    at('spec.updateStrategy'),
    { type: 'RollingUpdate' },
  ],
  [
    'bounds get their partition',
    set({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: {} } }),
    at('spec.updateStrategy'),
    { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
  ],
  [
    'claims are kept',
    set({ persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete' } }),
    at('spec.persistentVolumeClaimRetentionPolicy'),
    { whenDeleted: 'Retain', whenScaled: 'Delete' },
  ],
  [
    'claim templates are printed as claims that wait',
    set({ volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: {} }] }),
    at('spec.volumeClaimTemplates'),
    [
      {
        kind: 'PersistentVolumeClaim',
        apiVersion: 'v1',
        metadata: { name: 'data', creationTimestamp: null },
        spec: { resources: {}, volumeMode: 'Filesystem' },
        status: { phase: 'Pending' },
      },
    ],
  ],
  ['a service name may be left out', set({ serviceName: undefined }), at('spec.serviceName'), ''],
  ['kept counts are written as zero', set(), at('status'), { replicas: 0, availableReplicas: 0 }],
])

// I-13
const others =
  "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"
updates(test, statefulSets, set(), [
  ['replicas change', withSpec({ replicas: 3 }), []],
  ['ordinals change', withSpec({ ordinals: { start: 5 } }), []],
  ['the service name never changes', withSpec({ serviceName: 'other' }), [others]],
  ['the order of pods never changes', withSpec({ podManagementPolicy: 'Parallel' }), [others]],
  [
    'the selector never changes',
    withSpec({
      selector: { matchLabels: { app: 'web', more: 'x' } },
      template: { ...template, metadata: { labels: { app: 'web', more: 'x' } } },
    }),
    [others],
  ],
])
refusals(test, statefulSets, [
  [
    'bounds are for rolling updates',
    set({ updateStrategy: { type: 'OnDelete', rollingUpdate: { partition: 1 } } }),
    [
      'spec.updateStrategy.rollingUpdate: Invalid value: {"partition":1}: only allowed for updateStrategy \'RollingUpdate\'',
    ],
  ],
  [
    'an empty selector selects too much',
    set({ selector: {} }),
    [
      'spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string(nil), MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: empty selector is invalid for statefulset',
    ],
  ],
  [
    'pods of a set have no deadline',
    set({ template: { ...template, spec: { ...template.spec, activeDeadlineSeconds: 5 } } }),
    [
      'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in StatefulSet is not Supported',
    ],
  ],
  [
    'an order of pods that nobody knows',
    set({ podManagementPolicy: 'Random' }),
    [`spec.podManagementPolicy: Invalid value: "Random": must be 'OrderedReady' or 'Parallel'`],
  ],
])

// I-31
const generation = at('metadata.annotations') as (object: Stored) => Record<string, string>
const counter = 'deprecated.daemonset.template.generation'
creations(test, daemonSets, [
  ['the first template is counted', daemons(), (o) => generation(o)[counter], '1'],
  [
    'one node at a time',
    daemons(),
    at('spec.updateStrategy'),
    { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
  ],
  [
    'by hand there are no bounds',
    daemons({ updateStrategy: { type: 'OnDelete' } }),
    at('spec.updateStrategy'),
    { type: 'OnDelete' },
  ],
  [
    'bounds that are written by hand begin at nothing',
    daemons({ updateStrategy: { type: 'OnDelete', rollingUpdate: { maxSurge: 2 } } }),
    at('spec.updateStrategy'),
    { type: 'OnDelete', rollingUpdate: { maxUnavailable: 0, maxSurge: 2 } },
  ],
])
test('a changed template is counted, another change is not', async ({ writer }) => {
  const made = await writer.create(daemonSets, daemons())
  const scaled = await writer.put(daemonSets, withSpec({ minReadySeconds: 5 })(made as Stored))
  equal(generation(scaled as Stored)[counter], '1')
  const next = { ...template, spec: { containers: [{ ...container, image: 'example/app:2' }] } }
  const moved = await writer.put(daemonSets, withSpec({ template: next })(scaled as Stored))
  equal(generation(moved as Stored)[counter], '2')
})
test('a field of a disabled gate is no change of a template', async ({ writer }) => {
  const resized = (resourceName: string) => {
    const resizePolicy = [{ resourceName, restartPolicy: 'RestartContainer' }]
    return { ...template, spec: { containers: [{ ...container, resizePolicy }] } }
  }
  const made = await writer.create(daemonSets, daemons({ template: resized('cpu') }))
  const put = withSpec({ template: resized('memory') })(made as Stored)
  const sent = (await writer.put(daemonSets, put)) as Stored
  equal(generation(sent)[counter], '1')
  equal(sent.metadata.resourceVersion, (made as Stored).metadata.resourceVersion)
})
const rolling = (rollingUpdate: object) =>
  daemons({ updateStrategy: { type: 'RollingUpdate', rollingUpdate } })
const bounds = 'spec.updateStrategy.rollingUpdate'
refusals(test, daemonSets, [
  ['nodes with two pods at once instead', rolling({ maxUnavailable: 0, maxSurge: '10%' }), []],
  [
    'not both',
    rolling({ maxUnavailable: 1, maxSurge: 1 }),
    [
      `${bounds}.maxSurge: Invalid value: intstr.IntOrString{Type:0, IntVal:1, StrVal:""}: may not be set when maxUnavailable is non-zero`,
    ],
  ],
  [
    'not neither',
    rolling({ maxUnavailable: 0 }),
    [`${bounds}.maxUnavailable: Required value: cannot be 0 when maxSurge is 0`],
  ],
  [
    'no more than all',
    rolling({ maxUnavailable: '101%' }),
    [
      `${bounds}.maxUnavailable: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"101%"}: must not be greater than 100%`,
    ],
  ],
])
updates(test, daemonSets, daemons(), [
  [
    'the selector never changes',
    withSpec({
      selector: { matchLabels: { app: 'other' } },
      template: { ...template, metadata: { labels: { app: 'other' } } },
    }),
    [
      'spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"app":"other"}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: field is immutable',
    ],
  ],
])
updates(test, deployments, { spec: { selector: { matchLabels: labels }, template } }, [
  [
    'the selector of a deployment never changes',
    withSpec({
      selector: { matchLabels: { app: 'other' } },
      template: { ...template, metadata: { labels: { app: 'other' } } },
    }),
    [
      'spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"app":"other"}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: field is immutable',
    ],
  ],
])

// I-25
refusals(test, revisions, [
  ['a revision holds a state', { revision: 1 }, ['data: Required value: data is mandatory']],
  [
    'numbers begin at zero',
    { data: {}, revision: -1 },
    ['revision: Invalid value: -1: must be greater than or equal to 0'],
  ],
  ['the number may be left out', { data: { a: 1 } }, []],
])
updates(test, revisions, { data: { a: 1 }, revision: 1 }, [
  ['a revision gets another number', (o) => ({ ...o, revision: 2 }), []],
  [
    'its state never changes',
    (o) => ({ ...o, data: { a: 2 } }),
    ['data: Invalid value: {"a":2}: field is immutable'],
  ],
])

// I-01
creations(test, controllers, [
  [
    'the selector is the labels of the template',
    { spec: { template } },
    at('spec.selector'),
    labels,
  ],
  ['so are its own labels', { spec: { template } }, at('metadata.labels'), labels],
  ['one pod by default', { spec: { template } }, at('spec.replicas'), 1],
])
refusals(test, controllers, [
  [
    'a controller has pods to control',
    { spec: {} },
    ['spec.selector: Required value', 'spec.template: Required value'],
  ],
  [
    'and finds them again',
    { spec: { selector: { app: 'other' }, template } },
    [
      'spec.template.metadata.labels: Invalid value: map[string]string{"app":"web"}: `selector` does not match template `labels`',
    ],
  ],
  [
    'its pods are restarted for ever',
    {
      spec: {
        template: { ...template, spec: { containers: [container], restartPolicy: 'Never' } },
      },
    },
    ['spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"'],
  ],
])

creations(test, templates, [
  [
    'a stored template has the defaults of a pod',
    { template },
    (o) => (at('template.spec.containers')(o) as { imagePullPolicy: string }[])[0]?.imagePullPolicy,
    'Always',
  ],
  [
    'and may be one that ends',
    { template: { spec: { containers: [container], restartPolicy: 'Never' } } },
    at('template.spec.restartPolicy'),
    'Never',
  ],
])
refusals(test, templates, [
  ['a template has containers', { template: {} }, ['template.spec.containers: Required value']],
])

test.run()
