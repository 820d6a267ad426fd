import type { FieldError } from '../../../kernel/validation/field-error.ts'
import { type LevelVersion, latest, levelOrder, levels, parseVersion } from './levels.ts'

/** What a policy does about pods that violate a level: reject them, annotate the audit event, warn. */
export const modes = ['enforce', 'audit', 'warn'] as const
/** One of the modes. */
export type Mode = (typeof modes)[number]

/** The level of a namespace for each mode. */
export type NamespacePolicy = Readonly<Record<Mode, LevelVersion>>

/** A policy, and the field errors of the labels that it was parsed from. */
export interface ParsedPolicy {
  readonly policy: NamespacePolicy
  readonly errors: readonly FieldError[]
}

const privileged: LevelVersion = { level: 'privileged', version: latest }

/** The policy without labels and without configuration: every mode is privileged. */
export const privilegedPolicy: NamespacePolicy = {
  enforce: privileged,
  audit: privileged,
  warn: privileged,
}

type Labels = Readonly<Record<string, string>>

/**
 * Parses the policy in the labels of a namespace; `defaults` holds for the labels that are missing. Unless labels say
 * otherwise, `warn` follows a label `enforce` that is stricter. An invalid level counts as restricted for `enforce` and as
 * privileged for the other modes, an invalid version as latest.
 */
export function namespacePolicyOf(
  prefix: string,
  labels: Labels = {},
  defaults: NamespacePolicy = privilegedPolicy,
): ParsedPolicy {
  const [enforce, audit, warn] = modes.map((mode) =>
    parseMode(mode, { prefix, labels, defaults }),
  ) as [ParsedMode, ParsedMode, ParsedMode]
  const follows =
    !warn.hasLevel && enforce.hasLevel && enforce.isValid && isStricter(enforce.level, warn.level)
  const warnLevel = follows
    ? {
        level: enforce.level.level,
        version: warn.hasVersion ? warn.level.version : enforce.level.version,
      }
    : warn.level
  return {
    policy: { enforce: enforce.level, audit: audit.level, warn: warnLevel },
    errors: [enforce, audit, warn].flatMap(({ errors }) => errors),
  }
}

function isStricter(a: LevelVersion, b: LevelVersion): boolean {
  return levelOrder(a) > levelOrder(b)
}

interface PolicySource {
  readonly prefix: string
  readonly labels: Labels
  readonly defaults: NamespacePolicy
}

/** The level of one mode, and which labels it came from. */
interface ParsedMode {
  readonly level: LevelVersion
  readonly hasLevel: boolean
  /** False if the label of the level is invalid. */
  readonly isValid: boolean
  readonly hasVersion: boolean
  readonly errors: readonly FieldError[]
}

/** Parses the two labels of a mode. */
function parseMode(mode: Mode, { prefix, labels, defaults }: PolicySource): ParsedMode {
  const [levelKey, versionKey] = [`${prefix}${mode}`, `${prefix}${mode}-version`]
  const [levelText, versionText] = [labelAt(labels, levelKey), labelAt(labels, versionKey)]
  const level =
    levelText === undefined ? defaults[mode].level : levels.find((one) => one === levelText)
  const version = versionText === undefined ? defaults[mode].version : parseVersion(versionText)
  const fallback = mode === 'enforce' ? 'restricted' : 'privileged'
  return {
    level: { level: level ?? fallback, version: version ?? latest },
    hasLevel: levelText !== undefined,
    isValid: level !== undefined,
    hasVersion: versionText !== undefined,
    errors: [
      ...(level === undefined
        ? [invalidLabel(levelKey, levelText, `must be one of ${levels.join(', ')}`)]
        : []),
      ...(version === undefined
        ? [invalidLabel(versionKey, versionText, 'must be "latest" or "v1.x"')]
        : []),
    ],
  }
}

function labelAt(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined
}

function invalidLabel(key: string, value: string | undefined, reason: string): FieldError {
  return {
    path: `metadata.labels[${key}]`,
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${JSON.stringify(value)}: ${reason}`,
  }
}
