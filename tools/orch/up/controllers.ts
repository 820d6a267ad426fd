/** The controllers that run in the process of `orch up`, each as its own service account, and the scheduler. */
import { serviceAccounts } from '../../../generated/apis/core/v1/service-account.ts'
import { controllers as known } from '../../../generated/controllers.ts'
import type { RunningApiServer } from '../../../runtime/apiserver/apiserver.ts'
import type { SigningKey } from '../../../runtime/auth/auth.ts'
import type { CloudProvider } from '../../../runtime/cloud/cloud.ts'
import {
  type ControllersInProcessOptions,
  controllerHelp,
  controllersInProcess,
  selectControllers,
} from '../../../runtime/controller-manager/controller-manager.ts'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import type { EnabledGates } from '../../../runtime/kernel/descriptors/enabled-gates.ts'
import type { Scheme } from '../../../runtime/kernel/descriptors/scheme.ts'
import type { Log } from '../../../runtime/observe/observe.ts'
import { clientsOf, type Running, runUntilStopped } from '../in-process.ts'

/** The words of `--controllers`, as the help lists them. */
export const controllersHelp = (): string => controllerHelp(known)

/** What is wrong with the words of `--controllers`. */
export function controllerProblems(
  words: readonly string[],
  gates: EnabledGates,
): readonly string[] {
  const { problems } = selectedOf(words, gates)
  return problems.map((problem) => `--controllers: ${problem}`)
}

/** True if the node lifecycle controller runs: it opens new nodes to pods. */
export function keepsNodes(words: readonly string[], gates: EnabledGates): boolean {
  return namesOf(words, gates).includes('node-lifecycle-controller')
}

/** Makes the account of pods in the first namespace, as a controller would a moment later: a pod that is created at once has its token. */
export async function makeFirstAccount(
  server: Pick<RunningApiServer, 'dispatch'>,
  words: readonly string[],
  gates: EnabledGates,
): Promise<void> {
  if (!namesOf(words, gates).includes('serviceaccount-controller')) return
  const user = { username: 'system:accounts', groups: ['system:masters'] }
  const accounts = clientsOf(server)(user, 'orch-up').resource(serviceAccounts).in('default')
  const found = await accounts.find('default')
  if (found === undefined) await accounts.create({ metadata: { name: 'default' } })
}

/** What loses its finalizers when nothing uses it any more. */
const protecting = [
  'persistentvolumeclaim-protection-controller',
  'persistentvolume-protection-controller',
]

/** Admission plugins that need a controller, and have it: claims and volumes are protected where that ends, too. */
export function pluginsOfControllers(
  words: readonly string[],
  gates: EnabledGates,
): readonly string[] {
  const names = namesOf(words, gates)
  return protecting.every((name) => names.includes(name)) ? ['StorageObjectInUseProtection'] : []
}

function namesOf(words: readonly string[], gates: EnabledGates): readonly string[] {
  const { selected } = selectedOf(words, gates)
  return selected.map(({ controller }) => controller)
}

/** What words mean. Whether those of clouds run is not asked here. */
function selectedOf(words: readonly string[], gates: EnabledGates) {
  return selectControllers(words, { controllers: known, gates, cloud: false })
}

/** Those that do not run in the server itself, whether or not they run at all: `--controllers` alone decides. */
export const controllersElsewhere: readonly string[] = known.map(({ controller }) => controller)

/** What runs, and on which server. */
export interface RunControllersOptions {
  /** The words of `--controllers`. */
  readonly controllers: readonly string[]
  readonly scheme: Scheme
  readonly gates: EnabledGates
  readonly log: Log
  readonly rootCertificates: () => string
  readonly tokenKey: (() => SigningKey) | undefined
  /** The provider of `--cloud-provider`. */
  readonly cloud: CloudProvider | undefined
  /** The ranges of `--cluster-cidr`; undefined where nodes get none. */
  readonly clusterCIDR: string | undefined
  readonly serviceCIDRs: readonly string[]
  readonly signingAuthority: NonNullable<ControllersInProcessOptions['signingAuthority']>
}

/** Runs controllers on a server of this process until it is stopped. Their code is loaded once the server is ready. */
export function runControllers(
  server: Pick<RunningApiServer, 'dispatch'>,
  { scheme, tokenKey, cloud, clusterCIDR, ...options }: RunControllersOptions,
): Running {
  return runUntilStopped(async (signal) => {
    const manager = await controllersInProcess({
      ...{
        ...options,
        clock: systemClock,
        platform: scheme.platform,
        ...(tokenKey && { tokenKey }),
        ...(cloud && { cloud }),
        ...(clusterCIDR !== undefined && { clusterCIDR }),
      },
      clientAs: clientsOf(server),
    })
    if (!signal.aborted) await manager.run(signal)
  })
}

/** Runs a scheduler on a server of this process until it is stopped. Its code is loaded once the server is ready. */
export function runScheduler(
  server: Pick<RunningApiServer, 'dispatch'>,
  { scheme, log }: Pick<RunControllersOptions, 'scheme' | 'log'>,
): Running {
  return runUntilStopped(async (signal) => {
    const { schedulerInProcess } = await import('../../../runtime/scheduler/scheduler.ts')
    const scheduler = await schedulerInProcess({
      ...{ clientAs: clientsOf(server), platform: scheme.platform, clock: systemClock, log },
    })
    if (!signal.aborted) await scheduler.run(signal)
  })
}
