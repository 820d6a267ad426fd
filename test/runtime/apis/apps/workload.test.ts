import type { Deployment } from '../../../../generated/apis/apps/v1/deployment.ts'
import { goValue } from '../../../../runtime/kernel/validation/go-value.ts'
import type { LooseObject } from '../../../../runtime/kernel/walker/loose.ts'
import { deployments, kindAt } from '../../../support/registry.ts'
import type { Given, Stored } from '../outcome.ts'
import { creations, refusals, updates, writing } from '../tables.ts'

const test = writing('runtime/apis: workloads')
const replicaSets = kindAt('apis/apps/v1/replicasets')

const labels = { app: 'web' }
const container = { name: 'main', image: 'example/app' }

/** A deployment or replica set of one container. */
function workload(more: object = {}, podSpec: object = {}): Given {
  const template = { metadata: { labels }, spec: { containers: [container], ...podSpec } }
  return { spec: { selector: { matchLabels: labels }, template, ...more } }
}

const template = (object: Stored) =>
  (object as unknown as LooseObject<Deployment>).spec?.template?.spec
const strategy = (object: Stored) => (object.spec as { strategy?: unknown }).strategy
const rolling = (maxUnavailable: unknown, maxSurge: unknown) =>
  workload({ strategy: { rollingUpdate: { maxUnavailable, maxSurge } } })

// I-01
creations(test, deployments, [
  [
    'containers of templates have their pull policy',
    workload(),
    (o) => template(o)?.containers?.[0]?.imagePullPolicy,
    'Always',
  ],
  [
    'templates leave requests to their pods',
    workload({}, { containers: [{ ...container, resources: { limits: { cpu: '1' } } }] }),
    (o) => template(o)?.containers?.[0]?.resources,
    { limits: { cpu: '1' } },
  ],
  [
    'templates leave service links to their pods',
    workload(),
    (o) => template(o)?.enableServiceLinks,
    undefined,
  ],
  [
    'a quarter of the pods moves at a time',
    workload(),
    strategy,
    { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
  ],
  [
    'one bound leaves the other as it is',
    workload({ strategy: { rollingUpdate: { maxSurge: 1 } } }),
    strategy,
    { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: 1 } },
  ],
  [
    'recreation has no bounds',
    workload({ strategy: { type: 'Recreate' } }),
    strategy,
    { type: 'Recreate' },
  ],
])

// I-13
const invalidSelector =
  'spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string(nil), MatchExpressions:[]v1.LabelSelectorRequirement{' +
  'v1.LabelSelectorRequirement{Key:"app", Operator:"In", Values:[]string(nil)}}}: invalid label selector'
const mismatch =
  'spec.template.metadata.labels: Invalid value: map[string]string{"app":"web"}: `selector` does not match template `labels`'
for (const kind of [deployments, replicaSets]) {
  const name = (fact: string) => `${kind.kind}: ${fact}`
  refusals(test, kind, [
    [name('a workload that is right is stored'), workload(), []],
    [
      name('the selector matches the template'),
      workload({ selector: { matchLabels: { app: 'other' } } }),
      [mismatch],
    ],
    [
      name('expressions count too'),
      workload({ selector: { matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] } }),
      [mismatch],
    ],
    [
      name('an empty selector is refused'),
      workload({ selector: {} }),
      [
        'spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string(nil), MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: empty selector is invalid for deployment',
      ],
    ],
    [
      name('an expression that wants values has some'),
      workload({ selector: { matchExpressions: [{ key: 'app', operator: 'In' }] } }),
      [
        "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
        ...(kind.kind === 'DaemonSet' ? [] : [invalidSelector]),
      ],
    ],
    [
      name('pods of a template are restarted for ever'),
      workload({}, { restartPolicy: 'Never', activeDeadlineSeconds: 5 }),
      [
        'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
        'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported',
      ],
    ],
    [
      name('containers of a template are checked like those of a pod'),
      workload({}, { containers: [container, { name: 'main' }] }),
      [
        'spec.template.spec.containers[1].image: Required value',
        'spec.template.spec.containers[1].name: Duplicate value: "main"',
      ],
    ],
    [
      name('a template has containers'),
      workload({ template: { metadata: { labels } } }),
      ['spec.template.spec.containers: Required value'],
    ],
  ])
}

const percents =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"
const unavailable = 'spec.strategy.rollingUpdate.maxUnavailable: Invalid value'
refusals(test, deployments, [
  [
    'recreation with bounds is refused',
    workload({ strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } }),
    [
      "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
    ],
  ],
  [
    'an update must move',
    rolling(0, 0),
    [
      `${unavailable}: intstr.IntOrString{Type:0, IntVal:0, StrVal:""}: may not be 0 when \`maxSurge\` is 0`,
    ],
  ],
  [
    'no percent do not move either',
    rolling('0%', 0),
    [
      `${unavailable}: intstr.IntOrString{Type:1, IntVal:0, StrVal:"0%"}: may not be 0 when \`maxSurge\` is 0`,
    ],
  ],
  [
    'more than all cannot be missing',
    rolling('101%', 0),
    [
      `${unavailable}: intstr.IntOrString{Type:1, IntVal:0, StrVal:"101%"}: must not be greater than 100%`,
    ],
  ],
  ['more than all can be extra', rolling(0, '200%'), []],
  [
    'a bound is a number or percent',
    rolling('ten', 1),
    [`${unavailable}: intstr.IntOrString{Type:1, IntVal:0, StrVal:"ten"}: ${percents}`],
  ],
  [
    'a bound is not negative',
    rolling(-1, 1),
    [`${unavailable}: -1: must be greater than or equal to 0`],
  ],
  [
    'progress takes longer than becoming available',
    workload({ minReadySeconds: 600 }),
    ['spec.progressDeadlineSeconds: Invalid value: 600: must be greater than minReadySeconds'],
  ],
])

const selector = { matchLabels: { app: 'web', tier: 'front' } }
const changed = workload({
  selector,
  template: { metadata: { labels: selector.matchLabels }, spec: { containers: [container] } },
})
updates(test, deployments, workload(), [
  ['the size may change', (o) => ({ ...o, spec: { ...(o.spec as object), replicas: 5 } }), []],
  [
    'the selector may not change',
    (o) => ({ ...o, spec: changed.spec }),
    [`spec.selector: Invalid value: ${goValue(selector)}: field is immutable`],
  ],
])

test.run()
