import type { FieldError } from '../../../kernel/validation/field-error.ts'

/** From everything to only what is known to be harmless. */
export const levels = ['privileged', 'baseline', 'restricted'] as const
/** How much a pod may do. */
export type Level = (typeof levels)[number]

/** A level as it was in a release. */
export interface LevelVersion {
  readonly level: Level
  /** The minor number of the release; infinite for the latest. */
  readonly version: number
}

/** What a namespace enforces, audits and warns of, each under its mode. */
export interface NamespacePolicy {
  readonly enforce: LevelVersion
  readonly audit: LevelVersion
  readonly warn: LevelVersion
}

/** What can be done about pods beyond a level: refuse them, note them, warn of them. */
export const modes = ['enforce', 'audit', 'warn'] as const

/** `restricted:latest`, `baseline:v1.27`. */
export function printLevel({ level, version }: LevelVersion): string {
  return `${level}:${version === Number.POSITIVE_INFINITY ? 'latest' : `v1.${version}`}`
}

/** True if two levels let the same pods in: no version forbids what is privileged. */
export function isSameLevel(a: LevelVersion, b: LevelVersion): boolean {
  return a.level === b.level && (a.level === 'privileged' || a.version === b.version)
}

/** The stricter a level, the higher. */
export function levelOrder({ level }: LevelVersion): number {
  return levels.indexOf(level)
}

function isAbout(key: string): (finding: FieldError) => boolean {
  return ({ path }) => path === `metadata.labels[${key}]`
}

const privileged: LevelVersion = { level: 'privileged', version: Number.POSITIVE_INFINITY }

/** The policy of namespaces without labels, where nobody set another one. */
export const privilegedPolicy: NamespacePolicy = {
  enforce: privileged,
  audit: privileged,
  warn: privileged,
}

/**
 * The policy that the labels of a namespace name; `defaults` counts for what they do not. What a label enforces is also
 * warned of if it is stricter than what is warned of by default, unless a label says otherwise. A text that names no level
 * is taken for the strictest one where pods would be refused, and for the widest where something would only be told; one
 * that names no version is taken for the latest.
 */
export function namespacePolicyOf(
  prefix: string,
  labels: Readonly<Record<string, string>> = {},
  defaults: NamespacePolicy = privilegedPolicy,
): { readonly policy: NamespacePolicy; readonly findings: readonly FieldError[] } {
  const findings: FieldError[] = []
  const read = (mode: (typeof modes)[number]): LevelVersion => {
    const [key, versionKey] = [`${prefix}${mode}`, `${prefix}${mode}-version`]
    const given = Object.hasOwn(labels, key) ? labels[key] : undefined
    const level = levels.find((one) => one === given)
    if (given !== undefined && level === undefined) {
      findings.push(invalidLabel(key, given, `must be one of ${levels.join(', ')}`))
    }
    const text = Object.hasOwn(labels, versionKey) ? (labels[versionKey] ?? '') : undefined
    const version = text === undefined ? defaults[mode].version : parseVersion(text)
    if (text !== undefined && version === undefined) {
      findings.push(invalidLabel(versionKey, text, 'must be "latest" or "v1.x"'))
    }
    const wrongly = mode === 'enforce' ? 'restricted' : 'privileged'
    const fallback = given === undefined ? defaults[mode].level : wrongly
    return { level: level ?? fallback, version: version ?? Number.POSITIVE_INFINITY }
  }
  const [enforce, audit, warn] = modes.map(read) as [LevelVersion, LevelVersion, LevelVersion]
  const has = (key: string) => Object.hasOwn(labels, `${prefix}${key}`)
  const stricter =
    !has('warn') &&
    has('enforce') &&
    !findings.some(isAbout(`${prefix}enforce`)) &&
    levelOrder(enforce) > levelOrder(warn)
  const version = has('warn-version') ? warn.version : enforce.version
  const told = stricter ? { level: enforce.level, version } : warn
  return { policy: { enforce, audit, warn: told }, findings }
}

function parseVersion(text: string): number | undefined {
  if (text === 'latest') return Number.POSITIVE_INFINITY
  const minor = /^v1\.(0|[1-9][0-9]{0,5})$/.exec(text)?.[1]
  return minor === undefined ? undefined : Number(minor)
}

function invalidLabel(key: string, value: string, why: string): FieldError {
  return {
    path: `metadata.labels[${key}]`,
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${JSON.stringify(value)}: ${why}`,
  }
}
