import type { HealthCheck } from '../daemon/daemon.ts'

/** What a server does between opening its store and serving, as clients of health ask for it (H-05). */
const startSteps = [
  'start-{prefix}-apiserver-admission-initializer',
  'generic-apiserver-start-informers',
  'priority-and-fairness-config-consumer',
  'priority-and-fairness-filter',
  'storage-object-count-tracker-hook',
  'start-apiextensions-informers',
  'start-apiextensions-controllers',
  'crd-informer-synced',
  'start-service-ip-repair-controllers',
  'scheduling/bootstrap-system-priority-classes',
  'priority-and-fairness-config-producer',
  'start-system-namespaces-controller',
  'bootstrap-controller',
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
  /** True once every step of the start is done. The steps are one: a server that listens has done nearly all of them. */
  readonly isStarted: () => boolean
}

/** The checks of a server that has a store and control loops, in the order in which they are listed. */
export function healthChecks({
  prefix,
  checkStore,
  isStarted,
  further = [],
}: HealthCheckOptions): readonly HealthCheck[] {
  const check = (): void => {
    if (!isStarted()) throw new Error('not finished')
  }
  const step = (name: string): HealthCheck => ({ name, check, startup: true })
  return [
    { name: 'etcd', check: checkStore },
    { name: 'etcd-readiness', endpoints: ['readyz'], check: checkStore },
    ...further,
    { name: 'informer-sync', endpoints: ['readyz'], check },
    ...startSteps.map((name) => step(`poststarthook/${name.replace('{prefix}', prefix)}`)),
    step('autoregister-completion'),
  ]
}
