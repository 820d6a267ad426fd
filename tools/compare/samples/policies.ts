/** A small and a rich object of each served kind of networking, access, certificates, flow control and resource claims. */
import { certificateRequest, rootCertificate } from './certificates.ts'

/** A valid object of a kind. */
export interface Sample {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly [field: string]: unknown
}

type Fields = Readonly<Record<string, unknown>>

/** One kind with what a small and a rich object of it say beside their metadata. */
interface Pair {
  readonly apiVersion: string
  readonly kind: string
  readonly cluster?: boolean
  readonly names?: readonly [string, string]
  readonly small: Fields
  readonly rich: Fields
}

/** The objects, with the groups of a platform whose names end in `api`. */
export function samplesOf(api: string): readonly Sample[] {
  const pairs = [
    ...networking(api),
    ...access(api),
    ...certificates(api),
    ...claims(api),
    ...server(api),
  ]
  return pairs.flatMap((pair) => [sampleOf(pair, 0), sampleOf(pair, 1)])
}

function sampleOf(pair: Pair, which: 0 | 1): Sample {
  const { apiVersion, kind, cluster = false, names = ['small', 'rich'] } = pair
  const place = cluster ? {} : { namespace: 'shop' }
  const fields = which === 0 ? pair.small : pair.rich
  return { apiVersion, kind, metadata: { name: names[which], ...place }, ...fields }
}

function networking(api: string): readonly Pair[] {
  const stable = `networking.${api}/v1`
  const alpha = `networking.${api}/v1alpha1`
  const backend = { service: { name: 'web', port: { number: 80 } } }
  return [
    {
      apiVersion: stable,
      kind: 'Ingress',
      small: { spec: { defaultBackend: backend } },
      rich: {
        spec: {
          ingressClassName: 'edge',
          tls: [{ hosts: ['shop.example.com'], secretName: 'shop-tls' }],
          rules: [
            {
              host: '*.example.com',
              http: {
                paths: [
                  { path: '/', pathType: 'Prefix', backend },
                  {
                    path: '/files',
                    pathType: 'Exact',
                    backend: {
                      resource: { apiGroup: 'example.com', kind: 'Bucket', name: 'files' },
                    },
                  },
                ],
              },
            },
          ],
        },
      },
    },
    {
      apiVersion: stable,
      kind: 'IngressClass',
      cluster: true,
      small: { spec: { controller: 'example.com/edge' } },
      rich: {
        spec: {
          controller: 'example.com/edge',
          parameters: {
            apiGroup: 'example.com',
            kind: 'Edge',
            name: 'main',
            scope: 'Namespace',
            namespace: 'shop',
          },
        },
      },
    },
    {
      apiVersion: stable,
      kind: 'NetworkPolicy',
      small: { spec: { podSelector: {} } },
      rich: {
        spec: {
          podSelector: { matchLabels: { app: 'web' } },
          policyTypes: ['Ingress', 'Egress'],
          ingress: [
            {
              from: [
                { podSelector: { matchLabels: { app: 'front' } }, namespaceSelector: {} },
                { ipBlock: { cidr: '192.0.2.0/24', except: ['192.0.2.128/25'] } },
              ],
              ports: [{ protocol: 'TCP', port: 8000, endPort: 8080 }],
            },
          ],
          egress: [{ ports: [{ protocol: 'UDP', port: 'dns' }] }],
        },
      },
    },
    {
      apiVersion: alpha,
      kind: 'IPAddress',
      cluster: true,
      names: ['192.0.2.7', '2001:db8::7'],
      small: { spec: { parentRef: { resource: 'services', name: 'web' } } },
      rich: {
        spec: {
          parentRef: { group: 'example.com', resource: 'gates', namespace: 'shop', name: 'web' },
        },
      },
    },
    {
      apiVersion: alpha,
      kind: 'ServiceCIDR',
      cluster: true,
      small: { spec: { cidrs: ['10.0.0.0/24'] } },
      rich: { spec: { cidrs: ['10.1.0.0/24', '2001:db8::/112'] } },
    },
  ]
}

function access(api: string): readonly Pair[] {
  const group = `rbac.authorization.${api}`
  const apiVersion = `${group}/v1`
  const rule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] }
  const user = { kind: 'User', apiGroup: group, name: 'ann' }
  const account = { kind: 'ServiceAccount', name: 'default', namespace: 'shop' }
  const cluster = { apiGroup: group, kind: 'ClusterRole', name: 'viewer' }
  return [
    {
      apiVersion,
      kind: 'Role',
      small: { rules: [rule] },
      rich: {
        rules: [
          { ...rule, resourceNames: ['web'] },
          { ...rule, verbs: ['*'], apiGroups: ['apps'] },
        ],
      },
    },
    {
      apiVersion,
      kind: 'ClusterRole',
      cluster: true,
      small: { rules: [rule] },
      rich: {
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { view: 'true' } }] },
        rules: [{ verbs: ['get'], nonResourceURLs: ['/healthz/*'] }],
      },
    },
    {
      apiVersion,
      kind: 'RoleBinding',
      small: { roleRef: { ...cluster, kind: 'Role' } },
      rich: { roleRef: cluster, subjects: [user, { ...user, kind: 'Group' }, account] },
    },
    {
      apiVersion,
      kind: 'ClusterRoleBinding',
      cluster: true,
      small: { roleRef: cluster },
      rich: { roleRef: cluster, subjects: [user, account] },
    },
  ]
}

function certificates(api: string): readonly Pair[] {
  return [
    {
      apiVersion: `certificates.${api}/v1`,
      kind: 'CertificateSigningRequest',
      cluster: true,
      small: {
        spec: {
          request: certificateRequest,
          signerName: 'example.com/ca',
          usages: ['client auth'],
        },
      },
      rich: {
        spec: {
          request: certificateRequest,
          signerName: 'example.com/ca',
          expirationSeconds: 7200,
          usages: ['digital signature', 'key encipherment', 'server auth'],
        },
      },
    },
    {
      apiVersion: `certificates.${api}/v1alpha1`,
      kind: 'ClusterTrustBundle',
      cluster: true,
      names: ['small', 'example.com:ca:rich'],
      small: { spec: { trustBundle: rootCertificate } },
      rich: { spec: { signerName: 'example.com/ca', trustBundle: rootCertificate } },
    },
  ]
}

function claims(api: string): readonly Pair[] {
  const apiVersion = `resource.${api}/v1alpha2`
  const spec = { resourceClassName: 'gpu' }
  const full = {
    ...spec,
    allocationMode: 'Immediate',
    parametersRef: { apiGroup: 'example.com', kind: 'Gpu', name: 'big' },
  }
  const nodes = {
    nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] }],
  }
  return [
    {
      apiVersion,
      kind: 'ResourceClass',
      cluster: true,
      small: { driverName: 'gpu.example.com' },
      rich: {
        driverName: 'gpu.example.com',
        parametersRef: { kind: 'ConfigMap', name: 'gpu', namespace: 'shop' },
        suitableNodes: nodes,
      },
    },
    { apiVersion, kind: 'ResourceClaim', small: { spec }, rich: { spec: full } },
    {
      apiVersion,
      kind: 'ResourceClaimTemplate',
      small: { spec: { spec } },
      rich: { spec: { metadata: { labels: { app: 'web' } }, spec: full } },
    },
    {
      apiVersion,
      kind: 'PodSchedulingContext',
      small: { spec: {} },
      rich: { spec: { selectedNode: 'n1', potentialNodes: ['n1', 'n2'] } },
    },
  ]
}

function server(api: string): readonly Pair[] {
  const group = `flowcontrol.apiserver.${api}`
  const subject = { kind: 'Group', group: { name: 'batch' } }
  const schema = {
    priorityLevelConfiguration: { name: 'low' },
    matchingPrecedence: 500,
    distinguisherMethod: { type: 'ByUser' },
    rules: [
      {
        subjects: [subject],
        resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'] }],
        nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/metrics'] }],
      },
    ],
  }
  const queuing = { queues: 16, handSize: 4, queueLengthLimit: 10 }
  const limited = {
    nominalConcurrencyShares: 5,
    lendablePercent: 50,
    borrowingLimitPercent: 10,
    limitResponse: { type: 'Queue', queuing },
  }
  const small = { spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } } }
  const named = (version: string) => [`small-${version}`, `rich-${version}`] as const
  return [
    ...['v1', 'v1beta3'].flatMap((version): readonly Pair[] => [
      {
        apiVersion: `${group}/${version}`,
        kind: 'FlowSchema',
        cluster: true,
        names: named(version),
        small: { spec: { priorityLevelConfiguration: { name: 'low' } } },
        rich: { spec: schema },
      },
      {
        apiVersion: `${group}/${version}`,
        kind: 'PriorityLevelConfiguration',
        cluster: true,
        names: named(version),
        small,
        rich: {
          spec: {
            type: 'Limited',
            limited,
          },
        },
      },
    ]),
    {
      apiVersion: `internal.apiserver.${api}/v1alpha1`,
      kind: 'StorageVersion',
      cluster: true,
      names: ['apps.deployments', 'apps.replicasets'],
      small: { spec: {}, status: {} },
      rich: { spec: {}, status: {} },
    },
  ]
}
