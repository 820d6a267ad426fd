/** An operator's account, and the roles that let it do what its controllers declare. */
import type { Access, AccessRule } from '../../../runtime/reconcile/reconcile.ts'
import {
  type Manifest,
  metadataOf,
  type PackageSettings,
  type PolicyRule,
  webhookSecret,
} from './settings.ts'

const apiGroup = 'rbac.authorization.k8s.io'

/** Objects that tell servers of the operator's webhooks, and of its certificate. */
export interface ToldObjects {
  /** The names of definitions whose versions it converts. */
  readonly converted: readonly string[]
  readonly configurations: readonly Manifest[]
}

/** The account, its roles and what binds them, in an order in which they can be created. */
export function roleManifests(
  settings: PackageSettings,
  access: Access,
  told: ToldObjects,
): readonly Manifest[] {
  const { namespace, namespaced, events } = settings
  const wide = [...access.everywhere, ...(events ? [eventsRule] : [])]
  const cluster = [...access.cluster, ...trustRules(told)]
  const byNamespace = new Map<string, readonly PolicyRule[]>(Object.entries(access.inNamespace))
  byNamespace.set(namespace, [
    ...(namespaced ? wide : []),
    ...(byNamespace.get(namespace) ?? []),
    ...ownRules(settings, told),
  ])
  return [
    account(settings),
    ...clusterRole(settings, namespaced ? cluster : [...cluster, ...wide]),
    ...roles(settings, byNamespace),
  ]
}

function account(settings: PackageSettings): Manifest {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: metadataOf(settings) }
}

const eventsRule: AccessRule = {
  apiGroups: ['', 'events.k8s.io'],
  resources: ['events'],
  verbs: ['create', 'patch', 'update'],
}

const leaseVerbs = ['create', 'get', 'list', 'patch', 'update', 'watch']

/** What it may do in its own namespace: hold leases, keep the certificate of its webhook. */
function ownRules(
  settings: PackageSettings,
  { converted, configurations }: ToldObjects,
): readonly PolicyRule[] {
  const { leaderElection, sharding } = settings
  const lease = { apiGroups: ['coordination.k8s.io'], resources: ['leases'] }
  const secret = { apiGroups: [''], resources: ['secrets'] }
  return [
    ...(leaderElection ? [{ ...lease, verbs: leaseVerbs }] : []),
    ...(sharding ? [{ ...lease, verbs: [...leaseVerbs, 'delete'].sort() }] : []),
    ...(converted.length + configurations.length > 0
      ? [
          { ...secret, verbs: ['create'] },
          {
            ...secret,
            verbs: ['get', 'patch', 'update'],
            resourceNames: [webhookSecret(settings)],
          },
        ]
      : []),
  ]
}

/** Who serves webhooks tells the server which certificate to expect. */
function trustRules({ converted, configurations }: ToldObjects): readonly PolicyRule[] {
  const verbs = ['get', 'patch']
  const kinds = configurations.map(({ kind }) => `${String(kind).toLowerCase()}s`)
  const names = configurations.map(({ metadata }) => (metadata as { readonly name: string }).name)
  return [
    ...(converted.length === 0
      ? []
      : [
          {
            apiGroups: ['apiextensions.k8s.io'],
            resources: ['customresourcedefinitions'],
            ...{ verbs, resourceNames: converted },
          },
        ]),
    ...(kinds.length === 0
      ? []
      : [
          {
            apiGroups: ['admissionregistration.k8s.io'],
            ...{ resources: kinds, verbs, resourceNames: [...new Set(names)] },
          },
        ]),
  ]
}

function clusterRole(settings: PackageSettings, rules: readonly PolicyRule[]): readonly Manifest[] {
  return rules.length === 0 ? [] : rolePair(settings, 'ClusterRole', rules)
}

function roles(
  settings: PackageSettings,
  byNamespace: ReadonlyMap<string, readonly PolicyRule[]>,
): readonly Manifest[] {
  return [...byNamespace]
    .filter(([, rules]) => rules.length > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([namespace, rules]) => rolePair(settings, 'Role', rules, { namespace }))
}

function rolePair(
  settings: PackageSettings,
  kind: 'ClusterRole' | 'Role',
  rules: readonly PolicyRule[],
  place: { readonly namespace?: string } = {},
): readonly Manifest[] {
  const { name, namespace } = settings
  const metadata = metadataOf(settings, place)
  const apiVersion = `${apiGroup}/v1`
  return [
    { apiVersion, kind, metadata, rules },
    {
      apiVersion,
      kind: `${kind}Binding`,
      metadata,
      roleRef: { apiGroup, kind, name },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    },
  ]
}
