import { kindAt } from '../../support/registry.ts'
import { refusals, writing } from './tables.ts'

const test = writing('runtime/apis: what is absent is judged as its zero value')

refusals(test, kindAt('api/v1/services'), [
  [
    'a number that is absent is zero',
    { spec: { ports: [{}] } },
    ['port', 'targetPort'].map(
      (key) => `spec.ports[0].${key}: Invalid value: 0: must be between 1 and 65535, inclusive`,
    ),
  ],
])

refusals(test, kindAt('apis/flowcontrol.apiserver.orch.io/v1/prioritylevelconfigurations'), [
  [
    'a word of a closed set that is absent is none of them',
    { spec: {} },
    ['spec.type: Unsupported value: "": supported values: "Exempt", "Limited"'],
  ],
])

refusals(test, kindAt('apis/rbac.authorization.orch.io/v1/clusterroles'), [
  [
    'a list that is absent is empty',
    { rules: [{ apiGroups: [''], resources: ['pods'] }] },
    ['rules[0].verbs: Required value: verbs must contain at least one value'],
  ],
])

refusals(test, kindAt('apis/networking.orch.io/v1/ingressclasses'), [
  [
    'a text that has to be there says why',
    { spec: { controller: 'a/b', parameters: { scope: 'Cluster' } } },
    [
      'spec.parameters.kind: Required value: kind is required',
      'spec.parameters.name: Required value: name is required',
    ],
  ],
])

refusals(test, kindAt('apis/autoscaling/v2/horizontalpodautoscalers'), [
  [
    'a list of policies that is sent empty is not the default',
    {
      spec: {
        scaleTargetRef: { kind: 'Deployment', name: 'web' },
        maxReplicas: 2,
        behavior: { scaleUp: { policies: [] } },
      },
    },
    ['spec.behavior.scaleUp.policies: Required value: must specify at least one Policy'],
  ],
  [
    'a metric without a type is told twice which there are',
    {
      spec: {
        scaleTargetRef: { kind: 'Deployment', name: 'web' },
        maxReplicas: 2,
        metrics: [{}],
      },
    },
    [
      'spec.metrics[0].type: Required value: must specify a metric source type',
      ...Array(2).fill(
        'spec.metrics[0].type: Unsupported value: "": supported values: ' +
          '"ContainerResource", "External", "Object", "Pods", "Resource"',
      ),
    ],
  ],
])

refusals(test, kindAt('apis/storage.orch.io/v1/storageclasses'), [
  [
    'a term without requirements repeats every term',
    { provisioner: 'example.com/a', allowedTopologies: [{}] },
    ['allowedTopologies[0].matchLabelExpressions: Duplicate value: ""'],
  ],
])

const event = {
  regarding: { kind: 'Pod', name: 'web', namespace: 'elsewhere' },
  eventTime: '2024-01-01T00:00:00.000000Z',
  reportingController: 'example.com/a',
  reportingInstance: 'a-1',
  action: 'Start',
  reason: 'Started',
  type: 'Normal',
}

refusals(test, kindAt('apis/events.orch.io/v1/events'), [
  ['an event that says when may be about an object elsewhere', event, []],
  [
    'an event is told of in the names of the older view',
    {
      ...event,
      eventTime: null,
      type: 'Other',
      deprecatedCount: 2,
      series: { count: 1, lastObservedTime: null },
    },
    [
      'involvedObject.namespace: Invalid value: "elsewhere": does not match event.namespace',
      'series.count: Invalid value: "": should be at least 2',
      'series.lastObservedTime: Required value',
      'eventTime: Required value',
      'type: Invalid value: "": has invalid value: Other',
      'count: Invalid value: "": needs to be unset',
    ],
  ],
])

test.run()
