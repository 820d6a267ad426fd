/** An object of each kind that the other samples leave out: what every cluster has, and what extends the server. */
import type { Sample } from './workloads.ts'

const labels = { app: 'web' }
const container = { name: 'main', image: 'example/app:1' }
const selector = { matchLabels: labels }
const template = { metadata: { labels }, spec: { containers: [container] } }
const about = { kind: 'Pod', apiVersion: 'v1', name: 'web', namespace: 'shop' }

/** Names of the groups with a suffix of the platform's own. */
export function samplesOf(api: string): readonly Sample[] {
  const named = (apiVersion: string, kind: string, fields: object, name = 'web'): Sample => ({
    apiVersion,
    kind,
    metadata: { name },
    ...fields,
  })
  const within = (sample: Sample): Sample => ({
    ...sample,
    metadata: { ...sample.metadata, namespace: 'shop' },
  })
  const namespaced = [
    named('v1', 'ConfigMap', { data: { key: 'value' } }),
    named('v1', 'Pod', { spec: template.spec }),
    named('v1', 'Secret', { type: 'Opaque', data: { key: 'dmFsdWU=' } }),
    named('v1', 'ServiceAccount', { automountServiceAccountToken: false }),
    named('v1', 'Service', { spec: { selector: labels, ports: [{ port: 80, protocol: 'TCP' }] } }),
    named('v1', 'Event', { involvedObject: about, reason: 'Seen', type: 'Normal' }, 'web.core'),
    named('apps/v1', 'Deployment', { spec: { replicas: 2, selector, template } }),
    named('apps/v1', 'ReplicaSet', { spec: { replicas: 2, selector, template } }),
    named('autoscaling/v1', 'HorizontalPodAutoscaler', {
      spec: {
        scaleTargetRef: { kind: 'Deployment', name: 'web', apiVersion: 'apps/v1' },
        minReplicas: 1,
        maxReplicas: 3,
        targetCPUUtilizationPercentage: 60,
      },
    }),
    named(`coordination.${api}/v1`, 'Lease', { spec: { holderIdentity: 'me' } }),
    named(
      `events.${api}/v1`,
      'Event',
      {
        eventTime: '2024-05-01T12:00:00.000000Z',
        regarding: about,
        reason: 'Seen',
        action: 'Look',
        type: 'Normal',
        reportingController: 'example.com/eye',
        reportingInstance: 'eye-1',
      },
      'web.events',
    ),
  ]
  return [
    ...namespaced.map(within),
    named('v1', 'Namespace', {}, 'depot'),
    named('v1', 'Node', { spec: { podCIDR: '10.0.0.0/24' } }, 'one'),
    ...extensions(api, named),
  ]
}

function extensions(
  api: string,
  named: (apiVersion: string, kind: string, fields: object, name?: string) => Sample,
): readonly Sample[] {
  const group = `admissionregistration.${api}`
  const webhook = {
    name: 'web.example.com',
    clientConfig: { url: 'https://127.0.0.1:1/nowhere' },
    rules: [
      { apiGroups: ['example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['x'] },
    ],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    failurePolicy: 'Ignore',
  }
  const matchConstraints = {
    resourceRules: [
      { apiGroups: ['example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['x'] },
    ],
  }
  const policies = ['v1beta1', 'v1alpha1'].flatMap((version) => [
    named(
      `${group}/${version}`,
      'ValidatingAdmissionPolicy',
      { spec: { matchConstraints, validations: [{ expression: 'true' }] } },
      `web-${version}`,
    ),
    named(
      `${group}/${version}`,
      'ValidatingAdmissionPolicyBinding',
      { spec: { policyName: `web-${version}`, validationActions: ['Deny'] } },
      `web-${version}`,
    ),
  ])
  const schema = { openAPIV3Schema: { type: 'object' } }
  return [
    named(`${group}/v1`, 'MutatingWebhookConfiguration', { webhooks: [webhook] }),
    named(`${group}/v1`, 'ValidatingWebhookConfiguration', { webhooks: [webhook] }),
    ...policies,
    named(
      `apiextensions.${api}/v1`,
      'CustomResourceDefinition',
      {
        spec: {
          group: 'shop.example.com',
          names: { plural: 'shelves', singular: 'shelf', kind: 'Shelf', listKind: 'ShelfList' },
          scope: 'Namespaced',
          versions: [{ name: 'v1', served: true, storage: true, schema }],
        },
      },
      'shelves.shop.example.com',
    ),
  ]
}
