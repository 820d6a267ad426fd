/**
 * The options of lists and watches: which combinations have a meaning. Every wrong option is named in one error, in the
 * words of the
 * reference.
 */
import { watchListGate } from '../../kernel/descriptors/enabled-gates.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { quoted } from '../../kernel/values/quoted.ts'
import type { RegistryContext } from '../contract/context.ts'
import type { ListOptions, Target } from '../contract/contract.ts'
import { invalid } from '../contract/errors.ts'
import {
  parseSelectors,
  type SelectionPredicate,
  selectionPredicate,
} from '../storage/selection-predicate.ts'

/**
 * What a list is about, once its options have a meaning.
 *
 * @throws StatusError BadRequest for a selector that cannot be read, then Invalid for options that a list cannot have together,
 *   then BadRequest for fields that the kind cannot be selected by.
 */
export function listSelection(
  context: RegistryContext,
  target: Target,
  options: ListOptions,
): SelectionPredicate {
  const selectors = parseSelectors(options)
  checkListOptions(context, options)
  return selectionPredicate(target, selectors)
}

/** What a watch is about. @throws StatusError as `listSelection`. */
export function watchSelection(
  context: RegistryContext,
  target: Target,
  options: ListOptions,
): SelectionPredicate {
  const selectors = parseSelectors(options)
  checkWatchOptions(context, options)
  return selectionPredicate(target, selectors)
}

function checkListOptions(context: RegistryContext, options: ListOptions): void {
  refuse(context, [
    ...(options.resourceVersionMatch ? listMatchErrors(options) : []),
    ...(options.sendInitialEvents === undefined
      ? []
      : [forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list')]),
  ])
}

/** Initial events need their gate and match rule, and a match rule needs them. */
function checkWatchOptions(context: RegistryContext, options: ListOptions): void {
  refuse(context, [
    ...(options.sendInitialEvents === undefined ? [] : initialErrors(context, options)),
    ...(options.resourceVersionMatch ? watchMatchErrors(options) : []),
  ])
}

const matchField = 'resourceVersionMatch'

/**
 * A match rule needs a version to match, excludes a continue token, whose version is fixed, and cannot be exactly the
 * unknown
 * version 0.
 */
function listMatchErrors(options: ListOptions): readonly FieldError[] {
  const { resourceVersion, resourceVersionMatch: match = '' } = options
  const found: FieldError[] = []
  if (!resourceVersion) {
    found.push(matchForbidden(`${matchField} is forbidden unless resourceVersion is provided`))
  }
  if (options.continue) {
    found.push(matchForbidden(`${matchField} is forbidden when continue is provided`))
  }
  if (match !== 'Exact' && match !== 'NotOlderThan') {
    found.push(unsupported(match, ['Exact', 'NotOlderThan', '']))
  }
  if (match === 'Exact' && resourceVersion === '0') {
    found.push(matchForbidden(`${matchField} "exact" is forbidden for resourceVersion "0"`))
  }
  return found
}

/** Initial events stand for a state at least as new as a version: no other match rule has a meaning for them. */
function initialErrors({ gates }: RegistryContext, options: ListOptions): readonly FieldError[] {
  const found: FieldError[] = []
  if (options.resourceVersionMatch !== 'NotOlderThan') {
    found.push(matchForbidden(`sendInitialEvents requires setting ${matchField} to NotOlderThan`))
  }
  if (!gates.has(watchListGate)) {
    const why = `sendInitialEvents is forbidden for watch unless the ${watchListGate} feature gate is enabled`
    found.push(forbidden('sendInitialEvents', why))
  }
  return found
}

/** A watch has a match rule only for its initial events. */
function watchMatchErrors(options: ListOptions): readonly FieldError[] {
  const { resourceVersionMatch: match = '' } = options
  const found: FieldError[] = []
  if (options.sendInitialEvents === undefined) {
    const why = `${matchField} is forbidden for watch unless sendInitialEvents is provided`
    found.push(matchForbidden(why))
  }
  if (match !== 'NotOlderThan') found.push(unsupported(match, ['NotOlderThan']))
  if (options.continue) {
    found.push(matchForbidden(`${matchField} is forbidden when continue is provided`))
  }
  return found
}

function forbidden(path: string, why: string): FieldError {
  return { path, reason: 'FieldValueForbidden', message: `Forbidden: ${why}` }
}

function matchForbidden(why: string): FieldError {
  return forbidden(matchField, why)
}

function unsupported(value: string, known: readonly string[]): FieldError {
  const list = known.map((one) => quoted(one)).join(', ')
  const message = `Unsupported value: ${quoted(value)}: supported values: ${list}`
  return { path: matchField, reason: 'FieldValueNotSupported', message }
}

/** Fails with the errors, as errors of ListOptions: watches have no options kind of their own. */
function refuse({ scheme }: RegistryContext, errors: readonly FieldError[]): void {
  if (errors.length === 0) return
  throw invalid({ group: `meta.${scheme.platform.api}`, kind: 'ListOptions' }, '', errors)
}
