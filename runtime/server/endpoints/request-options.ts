import { StatusError } from '../../kernel/errors/status-error.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { goValue } from '../../kernel/validation/go-value.ts'
import {
  dryRunErrors,
  type FieldValidation,
  type ListOptions,
  unsupportedValue,
  type WatchOptions,
  type WriteOptions,
} from '../../registry/registry.ts'
import type { Query } from '../http/query.ts'
import { type HttpRequest, headerOf } from '../http/request.ts'

/** The refusal of options: Invalid, with one cause for each field error. `kind` is the kind of the options. */
export function invalidOptions(
  kind: string,
  metaGroup: string,
  findings: readonly FieldError[],
): StatusError {
  const texts = [...new Set(findings.map(({ path, message }) => `${path}: ${message}`))]
  const list = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`
  return new StatusError('Invalid', `${kind}.${metaGroup} "" is invalid: ${list}`, {
    details: {
      group: metaGroup,
      kind,
      causes: findings.map(({ path, reason, message }) => ({ reason, message, field: path })),
    },
  })
}

/**
 * What the query of a list says. Empty parameters count as absent.
 *
 * @throws StatusError BadRequest for a limit or a timeout that is no number.
 */
export function listOptions(query: Query): ListOptions {
  const { limit } = numbers(query)
  return {
    ...texts(query, [
      'resourceVersion',
      'resourceVersionMatch',
      'labelSelector',
      'fieldSelector',
      'continue',
    ]),
    ...initialEvents(query),
    ...(limit !== undefined && limit > 0 && { limit }),
  }
}

/** The numbers that the query of a list or a watch may have. @throws StatusError BadRequest. */
function numbers(query: Query): { readonly timeoutSeconds?: number; readonly limit?: number } {
  const timeoutSeconds = query.integer('timeoutSeconds')
  const limit = query.integer('limit')
  return {
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    ...(limit !== undefined && { limit }),
  }
}

/** What the query of a watch says. `name` is that of a watch of one object; `lifeMs` is how long the watch will last. */
export function watchOptions(query: Query, name: string | undefined, lifeMs: number): WatchOptions {
  numbers(query)
  const { fieldSelector, ...rest } = texts(query, [
    'resourceVersion',
    'resourceVersionMatch',
    'labelSelector',
    'fieldSelector',
    'continue',
  ])
  const fields = [fieldSelector, name && `metadata.name=${name}`].filter(Boolean).join(',')
  return {
    ...rest,
    ...initialEvents(query),
    ...(fields !== '' && { fieldSelector: fields }),
    bookmarks: query.flag('allowWatchBookmarks'),
    timeoutMs: lifeMs,
  }
}

/** Absent and false are two things: one leaves the choice to the server. */
function initialEvents(query: Query): { readonly sendInitialEvents?: boolean } {
  return query.has('sendInitialEvents')
    ? { sendInitialEvents: query.flag('sendInitialEvents') }
    : {}
}

/** The parameters of these names that are neither absent nor empty. */
function texts<Name extends string>(
  query: Query,
  names: readonly Name[],
): { readonly [name in Name]?: string } {
  const found: { [name in Name]?: string } = {}
  for (const name of names) {
    const value = query.text(name)
    if (value !== undefined && value !== '') found[name] = value
  }
  return found
}

/** The kinds of options of the verbs that take a body. */
export type WriteKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'ApplyOptions'

/**
 * What a write says beside its body: query, If-Match, user agent.
 *
 * @throws StatusError Invalid that names every wrong option at once.
 */
export function writeOptions(
  kind: WriteKind,
  request: HttpRequest,
  query: Query,
  metaGroup: string,
): WriteOptions {
  const apply = kind === 'ApplyOptions'
  const findings = [
    ...(kind === 'PatchOptions' && query.has('force') ? [forceError] : []),
    ...(apply && !query.text('fieldManager') ? [managerRequiredError] : []),
    ...managerErrors(query.text('fieldManager') ?? ''),
    ...dryRunErrors(query.all('dryRun')),
    ...fieldValidationErrors(query.text('fieldValidation') ?? ''),
  ]
  if (findings.length > 0) {
    throw invalidOptions(apply ? 'PatchOptions' : kind, metaGroup, findings)
  }
  const version = versionMatch(request)
  const said = texts(query, ['fieldManager', 'fieldValidation'])
  return {
    dryRun: query.has('dryRun'),
    fieldValidation: (said.fieldValidation ?? 'Warn') as FieldValidation,
    manager: managerOf(said.fieldManager, headerOf(request, 'user-agent')),
    said,
    ...(apply && { force: query.flag('force') }),
    ...(version !== undefined && { resourceVersion: version }),
  }
}

/** The resourceVersion that an If-Match header names; undefined for `*`, which every write to an existing object meets. */
export function versionMatch(request: HttpRequest): string | undefined {
  const version = headerOf(request, 'if-match')?.trim().replace(/^W\//, '').replaceAll('"', '')
  return version === '' || version === '*' ? undefined : version
}

/** Apply tells field managers apart by their name alone, so it needs one. */
const managerRequiredError: FieldError = {
  path: 'fieldManager',
  reason: 'FieldValueRequired',
  message: 'Required value: is required for apply patch',
}

/** Only apply has conflicts to force. */
const forceError: FieldError = {
  path: 'force',
  reason: 'FieldValueForbidden',
  message: 'Forbidden: may not be specified for non-apply patch',
}

function fieldValidationErrors(value: string): FieldError[] {
  const known = ['', 'Ignore', 'Strict', 'Warn']
  return known.includes(value) ? [] : [unsupportedValue('fieldValidation', value, known)]
}

/** Characters of the name of a field manager. */
const managerLimit = 128

function managerErrors(value: string): FieldError[] {
  const path = 'fieldManager'
  const found: FieldError[] = []
  if (Buffer.byteLength(value) > managerLimit) {
    const message = `Too long: must have at most ${managerLimit} bytes`
    found.push({ path, reason: 'FieldValueTooLong', message })
  }
  for (const { index, 0: char } of value.slice(0, managerLimit).matchAll(unprintable)) {
    const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    const why = `invalid character U+${code} (at position ${Buffer.byteLength(value.slice(0, index))})`
    const message = `Invalid value: ${goValue(value)}: ${why}`
    found.push({ path, reason: 'FieldValueInvalid', message })
  }
  return found
}

/** The field manager of a write: the parameter, else what the user agent calls itself before the slash, cut to the limit. */
export function managerOf(parameter: string | undefined, agent: string | undefined): string {
  if (parameter) return parameter
  const own = printable(agent?.split('/', 1)[0] ?? '').slice(0, managerLimit)
  return own === '' ? 'unknown' : own
}

const unprintable = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu

function printable(text: string): string {
  return text.replace(unprintable, '')
}
