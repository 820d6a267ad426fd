import { apps, core, creating, entriesOf, type Growing, map, times } from './items.ts'

function hooks(): string {
  return '/apis/admissionregistration.orch.io/v1/validatingwebhookconfigurations'
}

function policies(): string {
  return '/apis/networking.orch.io/v1/namespaces/default/networkpolicies'
}

function admissionPolicies(): string {
  return '/apis/admissionregistration.orch.io/v1beta1/validatingadmissionpolicies'
}

/** Creations of other kinds. */
export const kinds: readonly Growing[] = [
  creating('ports of a service', 12_000, `${core}/services`, (n, name) => ({
    metadata: { name },
    spec: { ports: times(n, (at) => ({ name: `p${at}`, port: at + 1 })) },
  })),
  creating('addresses of a service', 20_000, `${core}/services`, (n, name) => ({
    metadata: { name },
    spec: {
      ports: [{ port: 1 }],
      externalIPs: times(n, (at) => `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`),
    },
  })),
  creating('subsets', 6_000, `${core}/endpoints`, (n, name) => ({
    metadata: { name },
    subsets: times(n, (at) => ({ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: at + 1 }] })),
  })),
  creating(
    'rules of a role',
    8_000,
    '/apis/rbac.authorization.orch.io/v1/clusterroles',
    (n, name) => ({
      metadata: { name },
      rules: times(n, (at) => ({ apiGroups: [''], resources: [`r${at}`], verbs: ['get'] })),
    }),
  ),
  creating(
    'subjects',
    16_000,
    '/apis/rbac.authorization.orch.io/v1/clusterrolebindings',
    (n, name) => ({
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.orch.io', kind: 'ClusterRole', name: 'r' },
      subjects: times(n, (at) => ({
        kind: 'User',
        name: `u${at}`,
        apiGroup: 'rbac.authorization.orch.io',
      })),
    }),
  ),
  creating('webhooks', 4_000, hooks(), (n, name) => ({
    metadata: { name },
    webhooks: times(n, (at) => ({
      name: `w${at}.a.b`,
      clientConfig: { url: 'https://127.0.0.1' },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      objectSelector: { matchLabels: { never: 'x' } },
      rules: [{ operations: ['CREATE'], apiGroups: ['x'], apiVersions: ['v1'], resources: ['y'] }],
    })),
  })),
  creating('rules of a webhook', 5_000, hooks(), (n, name) => ({
    metadata: { name },
    webhooks: [
      {
        name: 'w.a.b',
        clientConfig: { url: 'https://127.0.0.1' },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        objectSelector: { matchLabels: { never: 'x' } },
        rules: times(n, (at) => ({
          operations: ['CREATE'],
          apiGroups: ['x'],
          apiVersions: ['v1'],
          resources: [`y${at}`],
        })),
      },
    ],
  })),
  creating('resources of a webhook', 19_000, hooks(), (n, name) => ({
    metadata: { name },
    webhooks: [
      {
        name: 'w.a.b',
        clientConfig: { url: 'https://127.0.0.1' },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        objectSelector: { matchLabels: { never: 'x' } },
        rules: [
          {
            operations: ['CREATE'],
            apiGroups: ['x'],
            apiVersions: ['v1'],
            resources: times(n, (at) => `y${at}`),
          },
        ],
      },
    ],
  })),
  creating('peers of a network policy', 10_000, policies(), (n, name) => ({
    metadata: { name },
    spec: {
      podSelector: {},
      ingress: [
        { from: times(n, (at) => ({ ipBlock: { cidr: `10.${at >> 8}.${at & 255}.0/24` } })) },
      ],
    },
  })),
  creating(
    'paths of an ingress',
    8_000,
    '/apis/networking.orch.io/v1/namespaces/default/ingresses',
    (n, name) => ({
      metadata: { name },
      spec: {
        rules: [
          {
            http: {
              paths: times(n, (at) => ({
                path: `/p${at}`,
                pathType: 'Prefix',
                backend: { service: { name: 's', port: { number: 1 } } },
              })),
            },
          },
        ],
      },
    }),
  ),
  creating(
    'requirements of a selector',
    15_000,
    '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
    (n, name) => ({
      metadata: { name },
      spec: {
        selector: { matchExpressions: times(n, (at) => ({ key: `k${at}`, operator: 'Exists' })) },
      },
    }),
  ),
  creating('limits of a quota', 9_000, `${core}/resourcequotas`, (n, name) => ({
    metadata: { name },
    spec: { hard: entriesOf(n, (at) => `count/r${at}.example.com`, '1') },
  })),
  creating('images of a node', 14_000, '/api/v1/nodes', (n, name) => ({
    metadata: { name },
    status: { images: times(n, (at) => ({ names: [`i${at}`], sizeBytes: at })) },
  })),
  creating('taints of a node', 16_000, '/api/v1/nodes', (n, name) => ({
    metadata: { name },
    spec: { taints: times(n, (at) => ({ key: `k${at}`, effect: 'NoSchedule' })) },
  })),
  creating(
    'groups of a review',
    19_900,
    '/apis/authorization.orch.io/v1/subjectaccessreviews',
    (n) => ({
      spec: {
        user: 'u',
        groups: times(n, (at) => `g${at}`),
        resourceAttributes: { verb: 'get', resource: 'pods' },
      },
    }),
  ),
  creating(
    'audiences of a token review',
    19_900,
    '/apis/authentication.orch.io/v1/tokenreviews',
    (n) => ({
      spec: { token: 't', audiences: times(n, (at) => `a${at}`) },
    }),
  ),
  creating('validations of a policy', 3_000, admissionPolicies(), (n, name) => ({
    metadata: { name },
    spec: {
      matchConstraints: {
        resourceRules: [
          { operations: ['CREATE'], apiGroups: ['x'], apiVersions: ['v1'], resources: ['y'] },
        ],
      },
      validations: times(n, (at) => ({ expression: `object.metadata.name != 'x${at}'` })),
    },
  })),
  creating(
    'a long name',
    800_000,
    `${core}/configmaps`,
    (n, name) => map(`${name}${'a.'.repeat(n)}`),
    422,
  ),
  creating('a deep value', 900, `${apps}/controllerrevisions`, (n, name) => ({
    metadata: { name },
    revision: 1,
    data: JSON.parse(`${'{"a":'.repeat(n)}1${'}'.repeat(n)}`) as object,
  })),
]
