import type { Finding } from '../../kernel/read.ts'

/** From everything to only what is known to be harmless. */
export const levels = ['privileged', 'baseline', 'restricted'] as const
export type Level = (typeof levels)[number]

/** A level as it was in a release. */
export interface LevelVersion {
  readonly level: Level
  /** The minor number of the release; infinite for the latest. */
  readonly version: number
}

/** What a namespace enforces, audits and warns of. */
export interface Policy {
  readonly enforce: LevelVersion
  readonly audit: LevelVersion
  readonly warn: LevelVersion
}

const modes = ['enforce', 'audit', 'warn'] as const

/** `restricted:latest`, `baseline:v1.27`. */
export function printLevel({ level, version }: LevelVersion): string {
  return `${level}:${version === Number.POSITIVE_INFINITY ? 'latest' : `v1.${version}`}`
}

export function levelOrder({ level }: LevelVersion): number {
  return levels.indexOf(level)
}

function isAbout(key: string): (finding: Finding) => boolean {
  return ({ path }) => path === `metadata.labels[${key}]`
}

/**
 * The policy that the labels of a namespace name. What is enforced is also warned of, unless a label says otherwise. A
 * level that is none is taken for the strictest where pods would be refused and for none where they would only be told; a
 * version that is none is the latest.
 */
export function policyOf(
  prefix: string,
  labels: Readonly<Record<string, string>> = {},
): { readonly policy: Policy; readonly findings: readonly Finding[] } {
  const findings: Finding[] = []
  const read = (mode: (typeof modes)[number]): LevelVersion => {
    const [key, versionKey] = [`${prefix}${mode}`, `${prefix}${mode}-version`]
    const given = Object.hasOwn(labels, key) ? labels[key] : undefined
    const level = levels.find((one) => one === given)
    if (given !== undefined && level === undefined) {
      findings.push(wrong(key, given, `must be one of ${levels.join(', ')}`))
    }
    const text = Object.hasOwn(labels, versionKey) ? (labels[versionKey] ?? '') : 'latest'
    const version = versionOf(text)
    if (version === undefined) {
      findings.push(wrong(versionKey, text, 'must be "latest" or "v1.x"'))
    }
    const fallback = given !== undefined && mode === 'enforce' ? 'restricted' : 'privileged'
    return { level: level ?? fallback, version: version ?? Number.POSITIVE_INFINITY }
  }
  const [enforce, audit, warn] = modes.map(read) as [LevelVersion, LevelVersion, LevelVersion]
  const has = (key: string) => Object.hasOwn(labels, `${prefix}${key}`)
  const stricter = !has('warn') && has('enforce') && !findings.some(isAbout(`${prefix}enforce`))
  const told = {
    level: stricter ? enforce.level : warn.level,
    version: has('warn') || has('warn-version') ? warn.version : enforce.version,
  }
  return { policy: { enforce, audit, warn: told }, findings }
}

function versionOf(text: string): number | undefined {
  if (text === 'latest') return Number.POSITIVE_INFINITY
  const minor = /^v1\.(0|[1-9][0-9]{0,5})$/.exec(text)?.[1]
  return minor === undefined ? undefined : Number(minor)
}

function wrong(key: string, value: string, why: string): Finding {
  return {
    path: `metadata.labels[${key}]`,
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${JSON.stringify(value)}: ${why}`,
  }
}
