import type { AuditSettings, AuditWebhookSettings } from '../../runtime/apiserver/apiserver.ts'
import {
  type ConfigKinds,
  configFiles,
  type FeatureGates,
  type Options,
} from '../../runtime/config/config.ts'
import { groupNames, type Platform } from '../../runtime/kernel/descriptors/platform.ts'
import { invariant } from '../../runtime/kernel/errors/invariant.ts'
import type { ConfigKind } from '../../runtime/kernel/options/config-kind.ts'

/** What the audit flags say. With problems, the server must not start. */
export interface AuditFlagSettings {
  readonly audit?: AuditSettings
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
}

/** What the audit flags are read with. */
export interface AuditFlagContext {
  readonly configKinds: ConfigKinds
  readonly platform: Platform
  readonly gates: FeatureGates
  readonly print: (line: string) => void
}

/** The settings of the audit by its flags and the policy file that they name. Nothing is loaded without one. */
export async function auditSettings(
  options: Options,
  around: AuditFlagContext,
): Promise<AuditFlagSettings> {
  const file = options.string('audit-policy-file')
  const outputs = outputFlags.filter((flag) => options.string(flag) !== '')
  if (file === '') {
    return { problems: [], warnings: outputs.map(withoutPolicy) }
  }
  const { policy, problems: wrong } = await readPolicy(file, around)
  const problems = [...wrong, ...outputs.flatMap((flag) => outputProblems(options, flag, around))]
  if (policy === undefined || outputs.length === 0) return { problems, warnings: [] }
  const [path, orchconfig] = outputFlags.map((flag) => options.string(flag))
  const audit = {
    policy,
    ...(path && { log: logOf(options, path, around.print) }),
    ...(orchconfig && { webhook: webhookOf(options, orchconfig) }),
  }
  return { audit, problems, warnings: [] }
}

const outputFlags = ['audit-log-path', 'audit-webhook-config-file'] as const
type OutputFlag = (typeof outputFlags)[number]

/** `audit-log` or `audit-webhook`: what the flags of an output begin with. */
function familyOf(flag: OutputFlag): string {
  return flag === 'audit-log-path' ? 'audit-log' : 'audit-webhook'
}

function withoutPolicy(flag: OutputFlag): string {
  return `no audit policy file is given: --${flag} records nothing`
}

/** What is wrong with the flags of an output that do not go together. */
function outputProblems(
  options: Options,
  flag: OutputFlag,
  { platform }: AuditFlagContext,
): readonly string[] {
  const family = familyOf(flag)
  const number = (name: string): number => options.number(`${family}-${name}`)
  const version = options.string(`${family}-version`)
  const versions = versionsOf(platform)
  const throttled =
    options.string(`${family}-mode`) === 'batch' &&
    options.boolean(`${family}-batch-throttle-enable`)
  const bounds = throttled ? ['batch-throttle-qps', 'batch-throttle-burst'] : []
  return [
    ...(version === '' || versions.includes(version)
      ? []
      : [
          `--${family}-version: ${version} is no version of audit records; ${versions.join(' or ')} is`,
        ]),
    ...bounds
      .filter((name) => number(name) <= 0)
      .map(
        (name) => `--${family}-${name}: must be more than 0 with --${family}-batch-throttle-enable`,
      ),
    ...(number('truncate-max-batch-size') < number('truncate-max-event-size')
      ? [
          `--${family}-truncate-max-batch-size: must not be less than --${family}-truncate-max-event-size`,
        ]
      : []),
  ]
}

/** What the flags of both outputs say. */
function outputOf(options: Options, family: string) {
  const number = (name: string): number => options.number(`${family}-${name}`)
  const cuts = options.boolean(`${family}-truncate-enabled`)
  const version = options.string(`${family}-version`)
  const throttles = options.boolean(`${family}-batch-throttle-enable`)
  return {
    mode: options.string(`${family}-mode`) as 'batch' | 'blocking' | 'blocking-strict',
    ...(version && { apiVersion: version }),
    batch: {
      bufferEvents: number('batch-buffer-size'),
      maxEvents: number('batch-max-size'),
      maxWaitMs: options.milliseconds(`${family}-batch-max-wait`),
      ...(throttles && {
        throttle: {
          perSecond: number('batch-throttle-qps'),
          burst: number('batch-throttle-burst'),
        },
      }),
      ...(cuts && { maxBytes: number('truncate-max-batch-size') }),
    },
    ...(cuts && { maxEventBytes: number('truncate-max-event-size') }),
  }
}

const megabyte = 1024 * 1024
const day = 24 * 60 * 60 * 1000

function logOf(
  options: Options,
  path: string,
  print: (line: string) => void,
): NonNullable<AuditSettings['log']> {
  const file = {
    path,
    maxBytes: options.number('audit-log-maxsize') * megabyte,
    maxAgeMs: options.number('audit-log-maxage') * day,
    maxBackups: options.number('audit-log-maxbackup'),
    compress: options.boolean('audit-log-compress'),
  }
  return {
    ...outputOf(options, 'audit-log'),
    output: path === '-' ? print : file,
    format: options.string('audit-log-format') as 'json' | 'legacy',
  }
}

function webhookOf(options: Options, orchconfig: string): AuditWebhookSettings {
  const firstPauseMs = options.milliseconds('audit-webhook-initial-backoff')
  return { ...outputOf(options, 'audit-webhook'), orchconfig, firstPauseMs }
}

/** A policy, or why there is none. */
interface ReadPolicy {
  readonly policy?: AuditSettings['policy']
  readonly problems: readonly string[]
}

/** Reads the policy file, with everything that is wrong with it. */
async function readPolicy(
  file: string,
  { configKinds, platform, gates }: AuditFlagContext,
): Promise<ReadPolicy> {
  const {
    formatFindings: printFindings,
    readConfigFile,
    readConfigValue: readValue,
  } = await configFiles()
  const place = { origin: 'flag', text: '--audit-policy-file' } as const
  const { sources, findings: unread } = await readConfigFile(file, 'file', place)
  const [source] = sources
  const text = Buffer.from(source?.text ?? '').toString()
  const kind = { ...(await policyKind(configKinds)), apiVersion: policyVersion(text, platform) }
  const { value, findings } =
    source === undefined ? { findings: unread } : await readValue(kind, source, gates)
  const problems = printFindings(findings, sources)
  return problems.length > 0 ? { problems } : { policy: value as AuditSettings['policy'], problems }
}

/** The kind of policy files, under whatever platform's name it was generated. */
function policyKind(configKinds: ConfigKinds): Promise<ConfigKind> {
  const key = Object.keys(configKinds).find((one) => /^audit\.[^/]*\/v1\/Policy$/.test(one))
  const load = key === undefined ? undefined : configKinds[key]
  invariant(load !== undefined, 'schemas/config has the kind of audit policies')
  return load()
}

/** The names of the version of records and policies. */
function versionsOf(platform: Platform): readonly string[] {
  return groupNames('audit', platform).map((group) => `${group}/v1`)
}

/** The name of the policy's version that a text uses: the platform's own, or that of the public ecosystem where both count. */
function policyVersion(text: string, platform: Platform): string {
  const names = versionsOf(platform)
  return names.find((name) => text.includes(name)) ?? names[0] ?? ''
}
