/** What runs in the process of `orch up` beside the server. It starts once the server is ready, so that clients do not wait for it. */
import { dirname, join, resolve } from 'node:path'
import type { Terminal } from '../../../daemons/run.ts'
import type { RunningApiServer } from '../../../runtime/apiserver/apiserver.ts'
import { providerOf } from '../../../runtime/cloud/cloud.ts'
import type { Options } from '../../../runtime/config/config.ts'
import type { EnabledGates } from '../../../runtime/kernel/descriptors/enabled-gates.ts'
import type { Scheme } from '../../../runtime/kernel/descriptors/scheme.ts'
import type { Log } from '../../../runtime/observe/observe.ts'
import type { Running } from '../in-process.ts'
import type { LocalCertificates } from '../local-certificates.ts'
import { keepsNodes, runControllers, runScheduler } from './controllers.ts'
import { tokenKeyOf } from './listeners.ts'
import { runMetricsApi } from './metrics.ts'
import { runNode } from './node.ts'
import { keepsObjects, orchconfigPath } from './places.ts'
import { addressIn, dnsOffset, runServices, serviceRangesOf, userPortsOf } from './services.ts'
import { runSimulatedNodes } from './simulated-nodes.ts'

/** What it is told of the server. */
export interface RunBesideOptions {
  readonly options: Options
  readonly scheme: Scheme
  readonly gates: EnabledGates
  readonly certificates: LocalCertificates
  readonly log: Log
}

/** The ranges of nodes, where they are to have some, and those of services, of which they get no part. */
export function rangesOf(options: Options) {
  const clusterCIDR = options.string('cluster-cidr')
  const serviceCIDRs = serviceRangesOf(options)
  return { serviceCIDRs, ...(clusterCIDR !== '' && { clusterCIDR }) }
}

/** Controllers, simulated nodes and a scheduler, as the flags say. */
export function runBeside(
  server: RunningApiServer,
  { options, scheme, gates, certificates, log }: RunBesideOptions,
): readonly Running[] {
  const controllers = runControllers(server, {
    controllers: options.strings('controllers'),
    ...{ scheme, gates, log },
    clusterCIDR: undefined,
    ...rangesOf(options),
    rootCertificates: () => certificates.ca,
    tokenKey: tokenKeyOf(certificates),
    cloud: providerOf(options.string('cloud-provider')).provider,
    signingAuthority: certificates.authorityFiles,
  })
  const nodes = runSimulatedNodes(server, {
    ...{ count: options.number('simulated-nodes'), platform: scheme.platform, log },
    removesTaint: !keepsNodes(options.strings('controllers'), gates),
  })
  const scheduler = options.boolean('scheduler') ? [runScheduler(server, { scheme, log })] : []
  return [controllers, nodes, ...scheduler]
}

/** With `--node`: the agent of this machine, what its pods use, and the services that they reach. */
export function runHere(
  server: RunningApiServer,
  { options, scheme: { platform }, certificates, log }: RunBesideOptions,
  terminal: Terminal,
): readonly Running[] {
  if (!options.boolean('node')) return []
  const [serviceRange = ''] = serviceRangesOf(options)
  const orchconfig = orchconfigPath(options)
  const { agentFiles, authorityFiles } = certificates
  const folder = join(dirname(orchconfig), 'node')
  const files = { ...agentFiles, authority: authorityFiles.certFile }
  const { names: servesNames } = userPortsOf(options)
  const dns = servesNames ? [addressIn(serviceRange, dnsOffset)] : []
  const { print } = terminal
  const runtime = options.string('container-runtime-endpoint')
  return [
    runNode({ ...terminal, orchconfig, folder, files, dns, runtime, keeps: keepsObjects(options) }),
    runMetricsApi(server, { platform, log, certificates }),
    runServices(server, {
      ...{ platform, log, serviceRange, servesNames, print },
      identity: resolve(orchconfig),
    }),
  ]
}
