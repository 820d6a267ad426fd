import { readFile } from 'node:fs/promises'
import type { OrchControllerManagerConfiguration } from '../../generated/config/manager/v1alpha1.ts'
import type { ControllerName } from '../../generated/controllers.ts'
import type { SigningKey } from '../../runtime/auth/auth.ts'
import { readCertificates } from '../../runtime/certificates/certificates.ts'
import type { ConnectionConfig } from '../../runtime/client/client.ts'
import { type CloudProvider, providerOf } from '../../runtime/cloud/cloud.ts'
import type { Configuration } from '../../runtime/config/config.ts'
import {
  nodeRangeProblems,
  nodeRouteProblems,
  selectControllers,
  wiperProblems,
} from '../../runtime/controller-manager/controller-manager.ts'
import type { ControllerFacts } from '../../runtime/kernel/descriptors/controller-facts.ts'
import { errorText } from '../../runtime/kernel/errors/error-text.ts'
import { connectionOf } from '../client-daemon/connection-flags.ts'
import { type PortSettings, portSettings } from '../client-daemon/port-settings.ts'
import { findingMessages, readFileAs } from '../config-file.ts'
import { type MetricSettings, metricSettings } from '../metric-flags.ts'
import { type ElectionSettings, electionSettings } from './election-settings.ts'
import type { ControllerManagerFacts } from './facts.ts'
import { signingProblems } from './signing-files.ts'
import { settingsWithoutEffect } from './without-effect.ts'

/** What a configuration says, with the files that it names. */
export interface ManagerSettings {
  readonly configuration: OrchControllerManagerConfiguration
  readonly connection: ConnectionConfig
  /** Those that run here, the ones that move among them. */
  readonly controllers: readonly ControllerFacts<ControllerName>[]
  readonly election: ElectionSettings
  /** The provider of `--cloud-provider`. */
  readonly cloud: CloudProvider | undefined
  readonly rootCertificates: string | undefined
  /** The key of `--service-account-private-key-file`. */
  readonly tokenKey: SigningKey | undefined
  readonly metrics: MetricSettings['metrics']
  /** Undefined where no port is served. */
  readonly port: PortSettings | undefined
}

/** Settings, and what is to be said of them. With problems, the daemon must not start. */
export interface ReadSettings {
  readonly settings: ManagerSettings
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
}

/** Reads everything that a configuration names, and says everything that would keep the daemon from starting. */
export async function readManagerSettings(
  facts: ControllerManagerFacts,
  { value, options, gates }: Configuration,
): Promise<ReadSettings> {
  const configuration = value as OrchControllerManagerConfiguration
  const { Generic, OrchCloudShared, SAController } = configuration
  const { controllers, platform } = facts
  const problems: string[] = []
  const noted = <T>(read: { readonly value: T; readonly problems: readonly string[] }): T => {
    problems.push(...read.problems)
    return read.value
  }
  const named = providerOf(OrchCloudShared.CloudProvider.Name)
  const cloud = noted({ value: named.provider, problems: named.problems })
  const { selected, ...notRunning } = selectControllers(Generic.Controllers, {
    ...{ controllers, gates: gates.on, cloud: cloud !== undefined },
  })
  const { orchconfig } = Generic.ClientConnection
  const connection = noted(await connectionOf(orchconfig, options.string('master')))
  const rootCertificates = noted(await certificatesOf('--root-ca-file', SAController.RootCAFile))
  const tokenKey = noted(await keyOf(SAController.ServiceAccountKeyFile))
  const migrationFile = noted(await migrationOf(options.string('leader-migration-config'), facts))
  const election = electionSettings(Generic, { platform, controllers, migrationFile })
  const metrics = await metricSettings(options, platform.release, facts.metrics)
  const port = await portSettings(options, Generic, platform)
  problems.push(...(await signingProblems(configuration.CSRSigningController)))
  problems.push(...(await controllerProblems(selected, configuration)))
  const moved = election.settings.migration?.elsewhere
  return {
    settings: {
      ...{ configuration, connection, rootCertificates, tokenKey, metrics: metrics.metrics },
      controllers: selected.filter(({ controller }) => moved?.has(controller) !== true),
      election: election.settings,
      cloud,
      port: port.settings,
    },
    problems: [...problems, ...election.problems, ...metrics.problems, ...port.problems],
    warnings: [
      ...metrics.warnings,
      ...(await settingsWithoutEffect(facts, {
        configuration,
        options,
        words: Generic.Controllers,
        ...{ cloud, notRunning },
      })),
    ],
  }
}

/** What keeps controllers that run from doing what the configuration says; each reason once. */
async function controllerProblems(
  selected: ManagerSettings['controllers'],
  configuration: OrchControllerManagerConfiguration,
): Promise<readonly string[]> {
  const runs = (name: ControllerName) => selected.some(({ controller }) => controller === name)
  const problems = [
    ...(runs('node-ipam-controller') ? await nodeRangeProblems(configuration) : []),
    ...(runs('node-route-controller') ? await nodeRouteProblems(configuration) : []),
    ...(runs('persistentvolume-binder-controller') ? await wiperProblems(configuration) : []),
  ]
  return [...new Set(problems)]
}

/** A value that was read, and what is wrong with it. */
interface Read<T> {
  readonly value: T
  readonly problems: readonly string[]
}

/** The certificates of a file as they stand there; undefined where none is named. */
async function certificatesOf(flag: string, file: string): Promise<Read<string | undefined>> {
  if (file === '') return { value: undefined, problems: [] }
  try {
    const pem = await readFile(file, 'utf8')
    const problems = readCertificates(pem).problems.map((one) => `${flag} ${file}: ${one}`)
    return { value: pem, problems }
  } catch (error) {
    return { value: undefined, problems: [`${flag}: ${errorText(error)}`] }
  }
}

/** The first private key of a file; undefined where none is named. */
async function keyOf(file: string): Promise<Read<SigningKey | undefined>> {
  if (file === '') return { value: undefined, problems: [] }
  const flag = '--service-account-private-key-file'
  try {
    const { parseSigningKey } = await import('../../runtime/auth/auth.ts')
    const { keys, problems } = parseSigningKey(await readFile(file, 'utf8'))
    return { value: keys[0], problems: problems.map((one) => `${flag} ${file}: ${one}`) }
  } catch (error) {
    return { value: undefined, problems: [`${flag}: ${errorText(error)}`] }
  }
}

type Migration = OrchControllerManagerConfiguration['Generic']['LeaderMigration']

async function migrationOf(
  file: string,
  { configKinds }: ControllerManagerFacts,
): Promise<Read<Migration | undefined>> {
  if (file === '') return { value: undefined, problems: [] }
  const kind = 'LeaderMigrationConfiguration'
  const flag = '--leader-migration-config'
  const { value, findings } = await readFileAs(file, { kind, flag, configKinds })
  return { value: value as Migration | undefined, problems: findingMessages(findings) }
}
