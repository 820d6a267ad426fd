import { controllers as known } from '../../generated/controllers.ts'
import type { SigningKey } from '../auth/auth.ts'
import type { Client } from '../client/client.ts'
import type { CloudProvider } from '../cloud/cloud.ts'
import type { Clock } from '../kernel/async/clock.ts'
import type { UserInfo } from '../kernel/auth/user-info.ts'
import type { EnabledGates } from '../kernel/descriptors/enabled-gates.ts'
import type { Platform } from '../kernel/descriptors/platform.ts'
import type { Log, Metrics } from '../observe/observe.ts'
import { type ControllerManager, createControllerManager } from './create-controller-manager.ts'
import { defaultConfiguration } from './default-configuration.ts'
import { controllerUser, managerUser } from './identities.ts'
import { nodeRangeProblems } from './node-range-problems.ts'
import { selectControllers } from './select-controllers.ts'

/** Which controllers run beside a server of the same process. */
export interface ControllersInProcessOptions {
  /** Words as `--controllers` has them. */
  readonly controllers: readonly string[]
  /** A client that acts as a user, under the name of a program; it is not closed. */
  readonly clientAs: (user: UserInfo, program: string) => Client
  /** The names of the server. */
  readonly platform: Platform
  readonly gates: EnabledGates
  readonly rootCertificates?: () => string
  readonly tokenKey?: () => SigningKey
  /** The files of the authority that signs what is requested of the platform's signers. Without it, nothing signs. */
  readonly signingAuthority?: { readonly certFile: string; readonly keyFile: string }
  /** Where the cluster runs. Without it, controllers of clouds do not run. */
  readonly cloud?: CloudProvider
  /** Ranges that nodes get parts of for their pods, as `--cluster-cidr` names them. Default: nodes get none. */
  readonly clusterCIDR?: string
  /** Ranges of the addresses of services, which no node gets. Default: none are known. */
  readonly serviceCIDRs?: readonly string[]
  readonly clock: Clock
  readonly log: Log
  /** Where controllers are counted. Default: nowhere. */
  readonly metrics?: Metrics
}

type RangeOptions = Pick<ControllersInProcessOptions, 'clusterCIDR' | 'serviceCIDRs'>

/** Why nodes cannot be given parts of these ranges. */
export async function clusterRangeProblems(ranges: RangeOptions): Promise<readonly string[]> {
  return nodeRangeProblems(await configurationWith(ranges))
}

/** The controllers that words name, each acting as its own service account. @throws RangeError for a word that names none. */
export async function controllersInProcess({
  controllers: words,
  clientAs,
  platform,
  gates,
  rootCertificates,
  tokenKey,
  cloud,
  clock,
  log,
  metrics,
  ...settings
}: ControllersInProcessOptions): Promise<ControllerManager> {
  const { selected, withoutCloud, withoutGates, problems } = selectControllers(words, {
    ...{ controllers: known, gates, cloud: cloud !== undefined },
  })
  if (problems.length > 0) throw new RangeError(`controllers: ${problems.join('; ')}`)
  for (const controller of withoutCloud) {
    log.warn('controller does not run: there is no cloud provider', { controller })
  }
  for (const { controller, gates: off } of withoutGates) {
    log.warn('controller does not run: its feature gates are off', {
      ...{ controller, gates: off.join(', ') },
    })
  }
  const program = `${platform.prefix}-controller-manager`
  const client = clientAs(managerUser(platform), program)
  return createControllerManager({
    ...{ controllers: selected, platform, gates, clock, log, keepAlive: false, client },
    clientOf: ({ account }, as) =>
      as === 'manager' ? client : clientAs(controllerUser(account, platform), program),
    configuration: await configurationWith(settings),
    ...(rootCertificates && { rootCertificates }),
    ...(tokenKey && { tokenKey }),
    ...(cloud && { cloud }),
    ...(metrics && { metrics }),
  })
}

async function configurationWith({
  signingAuthority: authority,
  clusterCIDR,
  serviceCIDRs: [ServiceCIDR = '', SecondaryServiceCIDR = ''] = [],
}: RangeOptions & Pick<ControllersInProcessOptions, 'signingAuthority'>) {
  const { CSRSigningController, NodeIPAMController, OrchCloudShared, ...others } =
    await defaultConfiguration()
  return {
    ...others,
    NodeIPAMController: { ...NodeIPAMController, ServiceCIDR, SecondaryServiceCIDR },
    CSRSigningController: {
      ...CSRSigningController,
      ...(authority && {
        ClusterSigningCertFile: authority.certFile,
        ClusterSigningKeyFile: authority.keyFile,
      }),
    },
    OrchCloudShared: {
      ...OrchCloudShared,
      ...(clusterCIDR !== undefined && { AllocateNodeCIDRs: true, ClusterCIDR: clusterCIDR }),
    },
  }
}
