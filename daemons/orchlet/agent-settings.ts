import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import type { CredentialProviderConfig } from '../../generated/config/agent/v1.ts'
import type { OrchletConfiguration } from '../../generated/config/agent/v1beta1.ts'
import { type ProviderProgram, readThresholds, type Threshold } from '../../runtime/agent/agent.ts'
import type { ConnectionConfig } from '../../runtime/client/client.ts'
import type { Configuration } from '../../runtime/config/config.ts'
import type { EmbeddedLevel } from '../../runtime/container-runtime/container-runtime.ts'
import { connectionOf } from '../client-daemon/connection-flags.ts'
import { findingMessages, readFileAs } from '../config-file.ts'
import type { AgentDaemonFacts } from './facts.ts'
import { type AgentPortSettings, agentPortSettings } from './port-settings.ts'
import { settingsWithoutEffect } from './without-effect.ts'

/** What a configuration says, with the files that it names. */
export interface AgentSettings {
  readonly configuration: OrchletConfiguration
  /** Undefined where the agent runs alone. */
  readonly connection: ConnectionConfig | undefined
  readonly rootFolder: string
  readonly logFolder: string
  readonly hostname: string
  readonly address: string
  readonly labels: Readonly<Record<string, string>>
  readonly schedulable: boolean
  readonly providerID: string
  /** Whether a cloud provider sets up the node before pods go there. */
  readonly hasCloud: boolean
  readonly runtime: AskedRuntime
  /** The addresses of pods, where the agent gives them; empty for the usual ones. */
  readonly podRange: string
  /** How little the node may have left before pods go. */
  readonly thresholds: readonly Threshold[]
  /** The image that sandboxes are made of. */
  readonly sandboxImage: string
  /** Programs that are asked for credentials for images. */
  readonly providers:
    | { readonly folder: string; readonly programs: readonly ProviderProgram[] }
    | undefined
  /** Where certificates are kept that are made or issued. */
  readonly certificateFolder: string
  /** Undefined where nothing is served. */
  readonly ports: AgentPortSettings | undefined
}

/** The runtime that was asked for. */
export interface AskedRuntime {
  /** The level of the embedded runtime; undefined for the best there is. */
  readonly level: EmbeddedLevel | undefined
  /** The address of a runtime behind a socket; undefined for the embedded one. */
  readonly endpoint: string | undefined
  /** True if the embedded runtime takes the place of one that does not answer there. */
  readonly isUsual: boolean
  /** True if containers are only simulated. */
  readonly isSimulated: boolean
}

/** Settings, and what is to be said of them. With problems, the daemon must not start. */
export interface ReadAgentSettings {
  readonly settings: AgentSettings
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
}

/** Where the logs of pods stand on a machine. */
const usualLogs = '/var/log/pods'
/** The default: containers are run there if something answers. */
const usualEndpoint = 'unix:///run/containerd/containerd.sock'
const endpointForms =
  /^(?:embedded(?::\/\/(?<level>process|namespace|full))?|simulated|unix:\/\/\/.+)$/

/** Reads everything that a configuration names, and says everything that would keep the daemon from starting. */
export async function readAgentSettings(
  { platform, options: table }: AgentDaemonFacts,
  read: Configuration,
): Promise<ReadAgentSettings> {
  const { value, options } = read
  const configuration = value as OrchletConfiguration
  const problems: string[] = []
  const file = options.string(`${platform.prefix}config`)
  const connected = file === '' ? undefined : await connectionOf(file, '')
  problems.push(...(connected?.problems ?? []))
  const { staticPodPath = '', staticPodURL = '', runOnce, containerRuntimeEndpoint } = configuration
  if (connected === undefined && staticPodPath === '' && staticPodURL === '') {
    problems.push(
      `there is nowhere to get pods from: give --${platform.prefix}config, --pod-manifest-path or --manifest-url`,
    )
  }
  if (runOnce && configuration.enableServer) {
    problems.push('--runonce: not together with the server; give --enable-server=false')
  }
  if (staticPodURL !== '' && !URL.canParse(staticPodURL)) {
    problems.push(`--manifest-url ${staticPodURL}: expected an address such as https://host/pods`)
  }
  if (configuration.failSwapOn && hasSwap()) {
    problems.push('swap is on; turn it off, or give --fail-swap-on=false')
  }
  const asked = endpointForms.exec(containerRuntimeEndpoint)
  if (asked === null) {
    problems.push(
      `--container-runtime-endpoint ${containerRuntimeEndpoint}: expected unix:///PATH, embedded, embedded://process, embedded://namespace, embedded://full or simulated`,
    )
  }
  const { thresholds, problems: wrong } = readThresholds({
    hard: configuration.evictionHard,
    soft: configuration.evictionSoft ?? {},
    softGrace: configuration.evictionSoftGracePeriod ?? {},
    minimumReclaim: configuration.evictionMinimumReclaim ?? {},
  })
  const programs = await providersOf(options.string('image-credential-provider-config'))
  problems.push(...wrong, ...programs.problems)
  const isSocket = containerRuntimeEndpoint.startsWith('unix:')
  const ports = await agentPortSettings(configuration, read, file !== '')
  problems.push(...ports.problems)
  const address = options.string('node-ip').split(',')[0] ?? ''
  const rootFolder = options.string('root-dir')
  const certificateFolder = certificateFolderOf(options)
  const isUsual = rootFolder === `/var/lib/${table.daemon}`
  return {
    settings: {
      ...{ configuration, connection: connected?.value, rootFolder },
      ...{ certificateFolder, ports: ports.settings && { ...ports.settings, certificateFolder } },
      logFolder: isUsual ? usualLogs : `${rootFolder}/log/pods`,
      hostname: options.string('hostname-override'),
      address: isIP(address) && !/^(0\.0\.0\.0|::)$/.test(address) ? address : '',
      labels: Object.fromEntries(options.pairs('node-labels')),
      schedulable: options.boolean('register-schedulable'),
      podRange: (configuration.podCIDR ?? '').split(',')[0] ?? '',
      providerID: configuration.providerID ?? '',
      hasCloud: options.string('cloud-provider') === 'external',
      thresholds,
      sandboxImage: options.string('pod-infra-container-image'),
      providers: programs.found && {
        folder: options.string('image-credential-provider-bin-dir'),
        programs: programs.found,
      },
      runtime: {
        level: asked?.groups?.level as EmbeddedLevel | undefined,
        endpoint: isSocket ? containerRuntimeEndpoint : undefined,
        isUsual: containerRuntimeEndpoint === usualEndpoint,
        isSimulated: containerRuntimeEndpoint === 'simulated',
      },
    },
    problems,
    warnings: settingsWithoutEffect(table, read),
  }
}

async function providersOf(file: string): Promise<{
  readonly found?: readonly ProviderProgram[]
  readonly problems: readonly string[]
}> {
  if (file === '') return { problems: [] }
  const flag = '--image-credential-provider-config'
  const { configKinds } = await import('../../generated/config.ts')
  const read = await readFileAs(file, { kind: 'CredentialProviderConfig', flag, configKinds })
  const config = read.value as CredentialProviderConfig | undefined
  const problems = findingMessages(read.findings)
  return config === undefined ? { problems } : { found: config.providers, problems }
}

/** The folder that is named, or one in the folder where everything is kept. */
export function certificateFolderOf(options: Configuration['options']): string {
  const isSaid = options.origin('cert-dir') !== 'default'
  return isSaid ? options.string('cert-dir') : join(options.string('root-dir'), 'pki')
}

function hasSwap(): boolean {
  try {
    return readFileSync('/proc/swaps', 'utf8').trim().split('\n').length > 1
  } catch {
    return false
  }
}
