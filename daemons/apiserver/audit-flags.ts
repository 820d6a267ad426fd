import type { AuditOptions } from '../../runtime/apiserver/apiserver.ts'
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
export interface AuditSettings {
  readonly audit?: AuditOptions
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

/** The settings of the audit log by its flags and the policy file that they name. Nothing is loaded without one. */
export async function auditSettings(
  options: Options,
  around: AuditFlagContext,
): Promise<AuditSettings> {
  const file = options.string('audit-policy-file')
  const path = options.string('audit-log-path')
  if (file === '') {
    const warning = 'no audit policy file is given: --audit-log-path records nothing'
    return { problems: [], warnings: path === '' ? [] : [warning] }
  }
  const { policy, problems } = await readPolicy(file, around)
  if (policy === undefined || path === '') return { problems, warnings: [] }
  return { audit: { policy, ...outputOf(options, path, around.print) }, problems, warnings: [] }
}

/** Where records go, and in what form. */
function outputOf(
  options: Options,
  path: string,
  print: (line: string) => void,
): Omit<AuditOptions, 'policy'> {
  const megabyte = 1024 * 1024
  const day = 24 * 60 * 60 * 1000
  const file = {
    path,
    maxBytes: options.number('audit-log-maxsize') * megabyte,
    maxAgeMs: options.number('audit-log-maxage') * day,
    maxBackups: options.number('audit-log-maxbackup'),
    compress: options.boolean('audit-log-compress'),
  }
  return {
    output: path === '-' ? print : file,
    mode: options.string('audit-log-mode') as NonNullable<AuditOptions['mode']>,
    format: options.string('audit-log-format') as NonNullable<AuditOptions['format']>,
    bufferEvents: options.number('audit-log-batch-buffer-size'),
    ...(options.boolean('audit-log-truncate-enabled') && {
      maxEventBytes: options.number('audit-log-truncate-max-event-size'),
    }),
  }
}

/** A policy, or why there is none. */
interface ReadPolicy {
  readonly policy?: AuditOptions['policy']
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
  return problems.length > 0 ? { problems } : { policy: value as AuditOptions['policy'], problems }
}

/** The kind of policy files, under whatever platform's name it was generated. */
function policyKind(configKinds: ConfigKinds): Promise<ConfigKind> {
  const key = Object.keys(configKinds).find((one) => /^audit\.[^/]*\/v1\/Policy$/.test(one))
  const load = key === undefined ? undefined : configKinds[key]
  invariant(load !== undefined, 'schemas/config has the kind of audit policies')
  return load()
}

/** The name of the policy's version that a text uses: the platform's own, or that of the public ecosystem where both count. */
function policyVersion(text: string, platform: Platform): string {
  const names = groupNames('audit', platform).map((group) => `${group}/v1`)
  return names.find((name) => text.includes(name)) ?? names[0] ?? ''
}
