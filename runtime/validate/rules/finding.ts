import type { TextRange } from '../../serializer/serializer.ts'
import type { RuleId, Severity } from './rule.ts'

/** The object that a finding is about, as far as its document says. */
export interface ObjectName {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace?: string
  readonly name?: string
}

/** A part of a text that is replaced, by offsets in UTF-16 code units. */
export interface TextEdit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** A change that ends a finding and means what its author meant. */
export interface Fix {
  readonly title: string
  readonly edits: readonly TextEdit[]
}

/** A second place that a finding speaks of. */
export interface Related {
  readonly message: string
  readonly file: string
  readonly at?: TextRange
}

/** The part of a rule that does not hold, by offsets in the text of the rule. */
export interface FailingPart {
  readonly rule: string
  readonly start: number
  readonly end: number
}

/** Where the schema declares what a finding is about. */
export interface Declaration {
  /** The type, and the field of it if the finding is about one: `apps/v1.DeploymentSpec` and `replicas`. */
  readonly type: string
  readonly field?: string
  /** The place of that in a schema file or in the definition of the kind. */
  readonly file?: string
  readonly line?: number
  /** The generated type, and its file. */
  readonly symbol?: string
}

/**
 * One thing that is wrong. It has up to three addresses: the user's (`file`, `at`), that of the schema which says so, and that of the
 * generated type. An address that is not known is absent, never made up.
 */
export interface Finding {
  readonly rule: RuleId
  readonly severity: Severity
  /** The field, then what is wrong: `spec.replicas: must be an integer, not a string`. */
  readonly message: string
  readonly file: string
  /** Absent for what is wrong with a file as a whole. */
  readonly at?: TextRange
  /** The field, as a server names it. */
  readonly path?: string
  readonly object?: ObjectName
  readonly related?: readonly Related[]
  /** The name that is nearest to one that leads nowhere. */
  readonly nearest?: string
  /** Present where the change is safe. */
  readonly fix?: Fix
  /** The rule in the expression language that does not hold, and which part of it. */
  readonly failing?: FailingPart
  readonly declared?: Declaration
  /** True for a value that is not to be printed. */
  readonly secret?: true
}

/** Sorted by file, position, rule and message; each once. */
export function sortedFindings(findings: readonly Finding[]): readonly Finding[] {
  const seen = new Map(findings.map((one) => [identity(one), one]))
  return [...seen.values()].sort(
    (a, b) =>
      compare(a.file, b.file) ||
      (a.at?.offset ?? -1) - (b.at?.offset ?? -1) ||
      compare(a.rule, b.rule) ||
      compare(a.message, b.message),
  )
}

function identity({ file, at, rule, message }: Finding): string {
  return `${file}\0${at?.offset}\0${rule}\0${message}`
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
