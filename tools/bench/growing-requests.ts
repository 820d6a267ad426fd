/** Requests that hold many of one thing: what a client may send at length, on every route that takes it. */

/** One request. */
export interface GrowingRequest {
  readonly method: string
  readonly path: string
  readonly type?: string
  readonly body?: unknown
}

/** A request of a chosen number of items, with what has to be there before. */
export interface Growing {
  readonly name: string
  /** The most items that the limits on a request let through, or that make the worst of it. */
  readonly most: number
  readonly before?: (n: number, name: string) => readonly GrowingRequest[]
  readonly request: (n: number, name: string) => GrowingRequest
}

const core = '/api/v1/namespaces/default'
const apps = '/apis/apps/v1/namespaces/default'
const applying = 'application/apply-patch+yaml'
const merging = 'application/merge-patch+json'
const strategic = 'application/strategic-merge-patch+json'
const operations = 'application/json-patch+json'

function times<T>(n: number, item: (at: number) => T): T[] {
  return Array.from({ length: n }, (_, at) => item(at))
}

function entries(n: number, value: (at: number) => unknown = () => ''): object {
  return Object.fromEntries(times(n, (at) => [`k${at}`, value(at)]))
}

const owner = (at: number) => ({ apiVersion: 'v1', kind: 'Pod', name: `o${at}`, uid: `u${at}` })

/** A record of managed fields that one manager has. */
const record = (at: number, fields: object = { 'f:data': { [`f:k${at}`]: {} } }) => ({
  manager: `m${at}`,
  operation: 'Apply',
  apiVersion: 'v1',
  fieldsType: 'FieldsV1',
  fieldsV1: fields,
})

const update = (at: number) => ({ ...record(at), operation: 'Update', time: stamp(at) })

function stamp(at: number): string {
  return new Date(at * 1000).toISOString().replace('.000', '')
}

const map = (name: string, more: object = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  ...more,
})

const podSpec = (more: object = {}, container: object = {}) => ({
  containers: [{ name: 'c', image: 'i', ...container }],
  ...more,
})

const deployment = (name: string, spec: object, metadata: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, ...metadata },
  spec: {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec },
  },
})

const post = (path: string, body: unknown): GrowingRequest => ({ method: 'POST', path, body })
const patch = (path: string, type: string, body: unknown): GrowingRequest => ({
  method: 'PATCH',
  path,
  type,
  body,
})

type Made = (n: number, name: string) => unknown

const creating = (name: string, most: number, path: string, body: Made): Growing => ({
  name: `create: ${name}`,
  most,
  request: (n, at) => post(path, body(n, at)),
})

const withMap = (
  name: string,
  most: number,
  before: Made,
  request: (n: number, path: string, name: string) => GrowingRequest,
): Growing => ({
  name,
  most,
  before: (n, at) => [post(`${core}/configmaps`, before(n, at))],
  request: (n, at) => request(n, `${core}/configmaps/${at}`, at),
})

const withDeployment = (
  name: string,
  most: number,
  before: Made,
  request: (n: number, path: string, name: string) => GrowingRequest,
): Growing => ({
  name,
  most,
  before: (n, at) => [post(`${apps}/deployments`, before(n, at))],
  request: (n, at) => request(n, `${apps}/deployments/${at}`, at),
})

const metadata: readonly Growing[] = [
  creating('owners', 16_000, `${core}/configmaps`, (n, name) =>
    map(name, {}, { ownerReferences: times(n, owner) }),
  ),
  creating('one owner again and again', 16_000, `${core}/configmaps`, (n, name) =>
    map(name, {}, { ownerReferences: times(n, () => owner(0)) }),
  ),
  creating('controllers', 14_000, `${core}/configmaps`, (n, name) =>
    map(name, {}, { ownerReferences: times(n, (at) => ({ ...owner(at), controller: true })) }),
  ),
  creating('appliers', 9_000, `${core}/configmaps`, (n, name) =>
    map(name, {}, { managedFields: times(n, (at) => record(at)) }),
  ),
  creating('writers', 9_000, `${core}/configmaps`, (n, name) =>
    map(name, {}, { managedFields: times(n, update) }),
  ),
  creating('fields of one manager', 9_000, `${core}/configmaps`, (n, name) =>
    map(name, {}, { managedFields: [record(0, { 'f:data': entriesOf(n, (at) => `f:k${at}`) })] }),
  ),
  creating('items of one manager', 9_000, `${core}/configmaps`, (n, name) =>
    map(
      name,
      {},
      { managedFields: [record(0, { 'f:data': entriesOf(n, (at) => `k:{"name":"k${at}"}`) })] },
    ),
  ),
  creating('finalizers', 9_000, `${core}/configmaps`, (n, name) =>
    map(name, {}, { finalizers: times(n, (at) => `a.b/f${at}`) }),
  ),
  creating('labels', 9_500, `${core}/configmaps`, (n, name) =>
    map(name, {}, { labels: entries(n) }),
  ),
  creating('annotations', 9_500, `${core}/configmaps`, (n, name) =>
    map(name, {}, { annotations: entries(n) }),
  ),
  creating('wrong labels', 9_500, `${core}/configmaps`, (n, name) =>
    map(name, {}, { labels: entriesOf(n, (at) => `-k${at}`, '-') }),
  ),
  creating('unknown fields', 9_500, `${core}/configmaps`, (n, name) => map(name, entries(n))),
  creating('data', 9_500, `${core}/configmaps`, (n, name) => map(name, { data: entries(n) })),
]

function entriesOf(n: number, key: (at: number) => string, value: unknown = {}): object {
  return Object.fromEntries(times(n, (at) => [key(at), value]))
}

const created: readonly Growing[] = [
  creating('containers', 12_000, `${apps}/deployments`, (n, name) =>
    deployment(name, { containers: times(n, (at) => ({ name: `c${at}`, image: 'i' })) }),
  ),
  creating('one container again and again', 12_000, `${apps}/deployments`, (n, name) =>
    deployment(name, { containers: times(n, () => ({ name: 'c', image: 'i' })) }),
  ),
  creating('variables', 20_000, `${apps}/deployments`, (n, name) =>
    deployment(name, podSpec({}, { env: times(n, (at) => ({ name: `e${at}`, value: '' })) })),
  ),
  creating('ports', 16_000, `${apps}/deployments`, (n, name) =>
    deployment(
      name,
      podSpec({}, { ports: times(n, (at) => ({ name: `p${at}`, containerPort: at + 1 })) }),
    ),
  ),
  creating('volumes and mounts', 6_000, `${apps}/deployments`, (n, name) =>
    deployment(
      name,
      podSpec(
        { volumes: times(n, (at) => ({ name: `v${at}`, emptyDir: {} })) },
        { volumeMounts: times(n, (at) => ({ name: `v${at}`, mountPath: `/v${at}` })) },
      ),
    ),
  ),
  creating('tolerations', 15_000, `${core}/pods`, (n, name) => ({
    metadata: { name },
    spec: podSpec({ tolerations: times(n, (at) => ({ key: `k${at}`, operator: 'Exists' })) }),
  })),
  creating('spread constraints', 10_000, `${apps}/deployments`, (n, name) =>
    deployment(
      name,
      podSpec({
        topologySpreadConstraints: times(n, (at) => ({
          maxSkew: 1,
          topologyKey: `k${at}`,
          whenUnsatisfiable: 'DoNotSchedule',
        })),
      }),
    ),
  ),
  creating('terms of affinity', 8_000, `${apps}/deployments`, (n, name) =>
    deployment(
      name,
      podSpec({
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: times(n, (at) => ({
              topologyKey: `k${at}`,
              labelSelector: { matchLabels: { a: 'b' } },
            })),
          },
        },
      }),
    ),
  ),
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
    80_000,
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
    80_000,
    '/apis/authentication.orch.io/v1/tokenreviews',
    (n) => ({
      spec: { token: 't', audiences: times(n, (at) => `a${at}`) },
    }),
  ),
  creating('validations of a policy', 3_000, admissionPolicies(), (n, name) => ({
    metadata: { name },
    spec: {
      matchConstraints: { resourceRules: [] },
      validations: times(n, (at) => ({ expression: `object.metadata.name != 'x${at}'` })),
    },
  })),
  creating('a long name', 800_000, `${core}/configmaps`, (n, name) =>
    map(`${name}${'a.'.repeat(n)}`),
  ),
  creating('a deep value', 900, `${core}/configmaps`, (n, name) =>
    map(name, { data: JSON.parse(`${'{"a":'.repeat(n)}1${'}'.repeat(n)}`) as object }),
  ),
]

function hooks(): string {
  return '/apis/admissionregistration.orch.io/v1/validatingwebhookconfigurations'
}

function policies(): string {
  return '/apis/networking.orch.io/v1/namespaces/default/networkpolicies'
}

function admissionPolicies(): string {
  return '/apis/admissionregistration.orch.io/v1beta1/validatingadmissionpolicies'
}

const one = { data: { a: 'b' } }
const label = { metadata: { labels: { x: 'y' } } }

const changed: readonly Growing[] = [
  withMap(
    'update: owners',
    16_000,
    (n, name) => map(name, one, { ownerReferences: times(n, owner) }),
    (n, path, name) => ({
      method: 'PUT',
      path,
      body: map(name, one, { ownerReferences: times(n, (at) => owner(at + 1)) }),
    }),
  ),
  withMap(
    'update: data',
    9_500,
    (n, name) => map(name, { data: entries(n) }),
    (n, path, name) => ({
      method: 'PUT',
      path,
      body: map(name, { data: entries(n, () => 'x') }),
    }),
  ),
  withMap(
    'update: managed fields',
    9_000,
    (n, name) => map(name, one, { managedFields: times(n, (at) => record(at)) }),
    (n, path, name) => ({
      method: 'PUT',
      path,
      body: map(name, one, { managedFields: times(n, (at) => record(at)), labels: { x: 'y' } }),
    }),
  ),
  withMap(
    'a small patch among owners',
    16_000,
    (n, name) => map(name, one, { ownerReferences: times(n, owner) }),
    (_, path) => patch(path, merging, label),
  ),
  withMap(
    'a small patch among managers',
    9_000,
    (n, name) => map(name, one, { managedFields: times(n, (at) => record(at)) }),
    (_, path) => patch(path, merging, label),
  ),
  withMap(
    'a small apply among managers',
    9_000,
    (n, name) => map(name, one, { managedFields: times(n, (at) => record(at)) }),
    (_, path, name) => patch(`${path}?fieldManager=z`, applying, map(name, { data: { z: 'y' } })),
  ),
  withMap(
    'merge patch: data',
    9_500,
    (_, name) => map(name, one),
    (n, path) => patch(path, merging, { data: entries(n) }),
  ),
  withMap(
    'merge patch: nulls',
    9_500,
    (n, name) => map(name, { data: entries(n) }),
    (n, path) => patch(path, merging, { data: entries(n, () => null) }),
  ),
  withMap(
    'JSON patch: additions',
    9_500,
    (_, name) => map(name, one),
    (n, path) =>
      patch(
        path,
        operations,
        times(n, (at) => ({ op: 'add', path: `/data/k${at}`, value: '' })),
      ),
  ),
  withMap(
    'JSON patch: insertions at the front',
    9_500,
    (n, name) => map(name, one, { finalizers: times(n, (at) => `a.b/f${at}`) }),
    (n, path) =>
      patch(
        path,
        operations,
        times(n, (at) => ({ op: 'add', path: '/metadata/finalizers/0', value: `a.b/g${at}` })),
      ),
  ),
  withMap(
    'JSON patch: tests',
    9_500,
    (n, name) => map(name, { data: entries(n) }),
    (n, path) =>
      patch(
        path,
        operations,
        times(n, (at) => ({ op: 'test', path: `/data/k${at}`, value: '' })),
      ),
  ),
  withMap(
    'strategic patch: owners',
    16_000,
    (n, name) => map(name, one, { ownerReferences: times(n, owner) }),
    (n, path) =>
      patch(path, strategic, { metadata: { ownerReferences: times(n, (at) => owner(at + 1)) } }),
  ),
  withDeployment(
    'strategic patch: containers',
    9_000,
    (n, name) =>
      deployment(name, { containers: times(n, (at) => ({ name: `c${at}`, image: 'i' })) }),
    (n, path) =>
      patch(path, strategic, {
        spec: {
          template: {
            spec: { containers: times(n, (at) => ({ name: `c${n - at}`, image: 'j' })) },
          },
        },
      }),
  ),
  withMap(
    'apply: data',
    9_500,
    (_, name) => map(name, one),
    (n, path, name) => patch(`${path}?fieldManager=a`, applying, map(name, { data: entries(n) })),
  ),
  withMap(
    'apply: conflicts',
    9_500,
    (n, name) => map(name, { data: entries(n) }),
    (n, path, name) =>
      patch(`${path}?fieldManager=a`, applying, map(name, { data: entries(n, () => 'x') })),
  ),
  withMap(
    'apply: owners',
    16_000,
    (_, name) => map(name, one),
    (n, path, name) =>
      patch(
        `${path}?fieldManager=a`,
        applying,
        map(name, {}, { ownerReferences: times(n, owner) }),
      ),
  ),
  withDeployment(
    'apply: containers',
    9_000,
    (n, name) =>
      deployment(name, { containers: times(n, (at) => ({ name: `c${at}`, image: 'i' })) }),
    (n, path, name) =>
      patch(
        `${path}?fieldManager=a&force=true`,
        applying,
        deployment(name, { containers: times(n, (at) => ({ name: `c${n - at}`, image: 'j' })) }),
      ),
  ),
  withDeployment(
    'apply: one container again and again',
    12_000,
    (_, name) => deployment(name, podSpec()),
    (n, path, name) =>
      patch(
        `${path}?fieldManager=a`,
        applying,
        deployment(name, { containers: times(n, () => ({ name: 'c', image: 'j' })) }),
      ),
  ),
  withDeployment(
    'status: conditions',
    12_000,
    (_, name) => deployment(name, podSpec()),
    (n, path) =>
      patch(`${path}/status`, merging, {
        status: { conditions: times(n, (at) => ({ type: `t${at}`, status: 'True' })) },
      }),
  ),
  withDeployment(
    'scale among managers',
    9_000,
    (n, name) =>
      deployment(name, podSpec(), {
        managedFields: times(n, (at) => ({
          ...record(at, { 'f:spec': { 'f:replicas': {} } }),
          apiVersion: 'apps/v1',
        })),
      }),
    (_, path) => patch(`${path}/scale`, merging, { spec: { replicas: 3 } }),
  ),
]

const read: readonly Growing[] = [
  {
    name: 'list: a selector of many terms',
    most: 8_000,
    request: (n) => ({
      method: 'GET',
      path: `${core}/configmaps?labelSelector=${times(n, (at) => `k${at}`).join()}`,
    }),
  },
  {
    name: 'list: a selector of many values',
    most: 10_000,
    request: (n) => ({
      method: 'GET',
      path: `${core}/configmaps?labelSelector=a+in+(${times(n, (at) => `v${at}`).join()})`,
    }),
  },
  {
    name: 'list: a field selector of many terms',
    most: 3_000,
    request: (n) => ({
      method: 'GET',
      path: `${core}/configmaps?fieldSelector=${times(n, () => 'metadata.name!=x').join()}`,
    }),
  },
  {
    name: 'delete collection: a selector of many values',
    most: 10_000,
    request: (n) => ({
      method: 'DELETE',
      path: `${core}/secrets?labelSelector=never+in+(${times(n, (at) => `v${at}`).join()})`,
    }),
  },
  {
    name: 'delete collection: unknown options',
    most: 9_500,
    request: (n) => ({
      method: 'DELETE',
      path: `${core}/secrets?labelSelector=never`,
      body: entries(n),
    }),
  },
]

/** Every request that grows, each linear in the number of its items. */
export const growingRequests: readonly Growing[] = [...metadata, ...created, ...changed, ...read]
