import type { HealthCheck } from '../daemon/daemon.ts'
import { enabledGatesOf } from '../kernel/descriptors/enabled-gates.ts'
import type { ApiServerOptions } from './options.ts'

/** A part whose steps are told only by a server that has it. */
export type OptionalPart = 'roles' | 'identity' | 'proxy-certificate'

/** What a server does between opening its store and serving, as clients of health ask for it (H-05, H-15). */
const startSteps: readonly (string | { readonly name: string; readonly of: OptionalPart })[] = [
  'start-{prefix}-apiserver-admission-initializer',
  'generic-apiserver-start-informers',
  'priority-and-fairness-config-consumer',
  'priority-and-fairness-filter',
  'storage-object-count-tracker-hook',
  'start-apiextensions-informers',
  'start-apiextensions-controllers',
  'crd-informer-synced',
  'start-service-ip-repair-controllers',
  { name: 'rbac/bootstrap-roles', of: 'roles' },
  'scheduling/bootstrap-system-priority-classes',
  'priority-and-fairness-config-producer',
  'start-system-namespaces-controller',
  'bootstrap-controller',
  'start-cluster-authentication-info-controller',
  { name: 'start-{prefix}-apiserver-identity-lease-controller', of: 'identity' },
  { name: 'start-{prefix}-apiserver-identity-lease-garbage-collector', of: 'identity' },
  'start-legacy-token-tracking-controller',
  { name: 'aggregator-reload-proxy-client-cert', of: 'proxy-certificate' },
  'start-{prefix}-aggregator-informers',
  'apiservice-registration-controller',
  'apiservice-status-available-controller',
  '{prefix}-apiserver-autoregistration',
  'apiservice-openapi-controller',
  'apiservice-openapiv3-controller',
  'apiservice-discovery-controller',
]

/** What the checks of a server look at. */
export interface HealthCheckOptions {
  /** The prefix of the platform's programs. */
  readonly prefix: string
  /** Rejects if the store cannot be read or written. */
  readonly checkStore: () => Promise<void>
  /** Further checks, of parts that not every server has. */
  readonly further?: readonly HealthCheck[]
  /** The parts that this server has of those that not every server has. */
  readonly parts: ReadonlySet<OptionalPart>
  /** True once every step of the start is done. The steps are one: a server that listens has done nearly all of them. */
  readonly isStarted: () => boolean
}

/** The checks of a server that has a store and control loops, in the order in which they are listed. */
export function healthChecks({
  prefix,
  checkStore,
  isStarted,
  parts,
  further = [],
}: HealthCheckOptions): readonly HealthCheck[] {
  const check = (): void => {
    if (!isStarted()) throw new Error('not finished')
  }
  const step = (name: string): HealthCheck => ({ name, check, startup: true })
  const steps = startSteps
    .map((one) => (typeof one === 'string' ? { name: one, of: undefined } : one))
    .filter(({ of }) => of === undefined || parts.has(of))
  return [
    { name: 'etcd', check: checkStore },
    { name: 'etcd-readiness', endpoints: ['readyz'], check: checkStore },
    ...further,
    { name: 'informer-sync', endpoints: ['readyz'], check },
    ...steps.map(({ name }) => step(`poststarthook/${name.replace('{prefix}', prefix)}`)),
    step('autoregister-completion'),
  ]
}

/** What this server has of what not every server has, as its checks of health tell. */
export function partsOf({
  scheme,
  authorization,
  hostname,
  aggregation,
  gates = enabledGatesOf(scheme),
}: ApiServerOptions): ReadonlySet<OptionalPart> {
  const parts = new Set<OptionalPart>()
  if (authorization?.modes.includes('RBAC')) parts.add('roles')
  if (hostname !== undefined && gates.has('APIServerIdentity')) parts.add('identity')
  if (aggregation?.certificate !== undefined) parts.add('proxy-certificate')
  return parts
}
