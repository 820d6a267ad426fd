import { StatusError } from '../../kernel/errors/status-error.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import {
  dryRunErrors,
  type FieldValidation,
  type ListOptions,
  unsupportedValue,
  type WatchOptions,
  type WriteOptions,
} from '../../registry/registry.ts'
import { type HttpRequest, headerOf } from '../http/message.ts'
import type { Query } from '../http/query.ts'

/** Refuses options: Invalid, with one cause for each finding. `kind` is the options' own kind. */
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

export function listOptions(query: Query): ListOptions {
  const limit = query.integer('limit')
  if (limit !== undefined && limit < 0) {
    throw new StatusError('BadRequest', `limit: ${limit} is less than 0`)
  }
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

/** `name` is that of a watch of one object; `lifeMs` how long the watch will last. */
export function watchOptions(query: Query, name: string | undefined, lifeMs: number): WatchOptions {
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

function initialEvents(query: Query): { readonly sendInitialEvents?: boolean } {
  return query.has('sendInitialEvents')
    ? { sendInitialEvents: query.flag('sendInitialEvents') }
    : {}
}

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

export type WriteKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'ApplyOptions'

/** Reads what a write says beside its body; every wrong option is named at once. */
export function writeOptions(
  kind: WriteKind,
  request: HttpRequest,
  query: Query,
  metaGroup: string,
): WriteOptions {
  const apply = kind === 'ApplyOptions'
  const findings = [
    ...dryRunErrors(query.all('dryRun')),
    ...fieldValidationErrors(query.text('fieldValidation') ?? ''),
    ...managerErrors(query.text('fieldManager') ?? ''),
    ...(kind === 'PatchOptions' && query.has('force') ? [forceError] : []),
    ...(apply && !query.text('fieldManager') ? [managerRequiredError] : []),
  ]
  if (findings.length > 0) {
    throw invalidOptions(apply ? 'PatchOptions' : kind, metaGroup, findings)
  }
  const version = versionMatch(request)
  return {
    dryRun: query.has('dryRun'),
    fieldValidation: (query.text('fieldValidation') || 'Warn') as FieldValidation,
    manager: managerOf(query.text('fieldManager'), headerOf(request, 'user-agent')),
    ...(apply && { force: query.flag('force') }),
    ...(version !== undefined && { resourceVersion: version }),
  }
}

/** The version that an If-Match header asks for; `*` asks for any, which every write to what is there meets. */
export function versionMatch(request: HttpRequest): string | undefined {
  const version = headerOf(request, 'if-match')?.trim().replace(/^W\//, '').replaceAll('"', '')
  return version === '' || version === '*' ? undefined : version
}

const managerRequiredError: FieldError = {
  path: 'fieldManager',
  reason: 'FieldValueRequired',
  message: 'Required value: is required for apply patch',
}

const forceError: FieldError = {
  path: 'force',
  reason: 'FieldValueForbidden',
  message: 'Forbidden: may not be specified for non-apply patch',
}

function fieldValidationErrors(value: string): FieldError[] {
  const known = ['', 'Ignore', 'Strict', 'Warn']
  return known.includes(value) ? [] : [unsupportedValue('fieldValidation', value, known)]
}

const managerLimit = 128

function managerErrors(value: string): FieldError[] {
  const path = 'fieldManager'
  if (value.length > managerLimit) {
    const message = `Too long: may not be longer than ${managerLimit}`
    return [{ path, reason: 'FieldValueTooLong', message }]
  }
  if (printable(value) === value) return []
  const message = `Invalid value: ${JSON.stringify(value)}: should only contain printable characters`
  return [{ path, reason: 'FieldValueInvalid', message }]
}

/** The manager of a write: the parameter, else what the user agent calls itself before the slash. */
export function managerOf(parameter: string | undefined, agent: string | undefined): string {
  if (parameter) return parameter
  const own = printable(agent?.split('/', 1)[0] ?? '').slice(0, managerLimit)
  return own === '' ? 'unknown' : own
}

function printable(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
}
