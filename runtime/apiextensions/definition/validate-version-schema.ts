import type { Steps } from '../../kernel/async/slices.ts'
import type { Metadata } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { forbidden, invalid } from '../../kernel/validation/field-errors.ts'
import type { ReadMetadata } from '../reader/embedded.ts'
import { validateKeywords } from '../schema/keywords.ts'
import type { Schema } from '../schema/schema.ts'
import { validateStructural } from '../schema/structural.ts'
import { unsupportedKeyword } from '../schema/unsupported-keyword.ts'
import { compileRules, type RuleOptions } from '../schema/validation-rules.ts'
import { type DefinitionVersion, versionSchema } from './definition.ts'
import { validateDefaults } from './validate-defaults.ts'
import { validateStatusRoot } from './validate-status-root.ts'

/**
 * Metadata in defaults is not read: the validation of definitions does not know the reader of
 * metadata. What is wrong in it shows when an object gets the default.
 */
const unreadMetadata: ReadMetadata = (value) => (value ?? {}) as Metadata

/**
 * The field errors of a version's schema, all of them together (C-05, C-08, C-13). Defaults of a wrong
 * structure mean nothing, and expressions are compiled against types, which only a structural schema
 * has: these wait until what they stand on is right.
 */
export function* validateVersionSchema(
  version: DefinitionVersion,
  path: string,
  hasStatus: boolean,
  options: RuleOptions,
): Steps<readonly FieldError[]> {
  const { extension } = options
  const schema = versionSchema(version, extension)
  if (schema === undefined) return []
  const at = `${path}.openAPIV3Schema`
  const errors = hasStatus ? [...validateStatusRoot(schema, at, extension)] : []
  if (schema.nullable) {
    errors.push(forbidden(`${at}.nullable`, 'nullable cannot be true at the root'))
  }
  const unsupported = yield* unsupportedKeyword(schema, extension)
  const structure = unsupported === undefined ? yield* structureErrors(schema, at, options) : []
  const keywords = yield* validateKeywords(schema, at, extension)
  const isSound = unsupported === undefined && structure.length === 0
  const rules = isSound ? yield* ruleErrors(schema, at, keywords.nodes, options) : []
  const all = [...errors, ...structure, ...keywords.errors, ...rules]
  if (all.length > 0 || unsupported === undefined) return all
  return [invalid(at, '', unsupported)]
}

function* structureErrors(
  schema: Schema,
  path: string,
  options: RuleOptions,
): Steps<readonly FieldError[]> {
  const errors = yield* validateStructural(schema, path, options.extension)
  return errors.length > 0 ? errors : yield* validateDefaults(schema, path, unreadMetadata, options)
}

/**
 * What is wrong with the meaning of rules, where neither their node nor anything below it has another error. What is wrong with
 * their form is told with the keywords.
 */
function* ruleErrors(
  schema: Schema,
  path: string,
  brokenNodes: readonly string[],
  options: RuleOptions,
): Steps<readonly FieldError[]> {
  const { errors, totalErrors } = yield* compileRules(schema, path, options)
  if (errors.length === 0) return errors
  const broken = [...brokenNodes].sort()
  const nodes = new Set(broken)
  const counts = (at: string): boolean => !hasErrorWithin(nodeOf(at), broken, nodes)
  return [
    ...errors.filter((error) => !isOfForm(error) && !isOfTotal(error) && counts(error.path)),
    ...totalErrors(counts),
  ]
}

/** The part of a rule that its form is about; the other errors are those of compiling it. */
function isOfForm({ path, reason }: FieldError): boolean {
  if (reason === 'FieldValueRequired') return true
  return reason !== 'InternalError' && /\.(?:message|reason|fieldPath)$/.test(path)
}

/** The errors of what all rules cost together. */
function isOfTotal({ path, message }: FieldError): boolean {
  return !path.includes('.x-') || message.startsWith('Forbidden: contributed to ')
}

function nodeOf(rulePath: string): string {
  const end = rulePath.lastIndexOf('.x-')
  return end < 0 ? rulePath : rulePath.slice(0, end)
}

/** True if one of the sorted paths is that of the node or of one below it. */
function hasErrorWithin(
  node: string,
  sorted: readonly string[],
  nodes: ReadonlySet<string>,
): boolean {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] as string) < `${node}.`) low = middle + 1
    else high = middle
  }
  return sorted[low]?.startsWith(`${node}.`) === true || nodes.has(node)
}
