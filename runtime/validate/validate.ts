/**
 * The engine of `orch validate`, of editors and of programs: what is wrong with documents, as a server finds it.
 *
 *  1. A finding has a rule with a stable id, the position in the text, and a fix where one is safe; what has no position has none.
 *  2. Objects are judged by the registry itself, in a dry run over an empty store: types, defaults, formats, rules, what kinds
 *     check. Nothing is judged twice by hand.
 *  3. Definitions among the documents make kinds for the others.
 *  4. What is wrong with one document keeps no other from being checked.
 */

export { isRelease } from './kinds/versions.ts'
export { nameOf } from './object/object-name.ts'
export { plainValue } from './object/plain-value.ts'
export type {
  JudgeOptions,
  KnownKind,
  KnownPlatform,
  PlatformSource,
} from './platform/judges.ts'
export type { DocumentMigration } from './platform/migrations.ts'
export type { PodSecurityLevel } from './policies/policy-registry.ts'
export {
  type FactSource,
  factsOf,
  type ObjectFacts,
  type Place,
  type PodFacts,
  type PortUse,
  type Reference,
} from './references/facts.ts'
export { hasLabels, ObjectIndex } from './references/object-index.ts'
export { fingerprints } from './report/fingerprint.ts'
export { type Format, formats } from './report/formats.ts'
export type { Run } from './report/report.ts'
export {
  type Declaration,
  type FailingPart,
  type Finding,
  type Fix,
  type ObjectName,
  type Related,
  sortedFindings,
  type TextEdit,
} from './rules/finding.ts'
export { isRule, type Rule, type RuleId, rules, type Severity } from './rules/rule.ts'
export { hasWord, holdsObjects, objectsIn, type Source, textOf } from './text/read-documents.ts'
export {
  type CheckedAcross,
  type CheckedSource,
  type ConfigurationJudge,
  openValidator,
  type Validator,
  type ValidatorOptions,
} from './validator.ts'
