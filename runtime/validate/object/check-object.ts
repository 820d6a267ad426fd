/** Everything that is wrong with one object of a known kind, as a server finds it, at the places of its document. */
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import { isStatus, type StatusError } from '../../kernel/errors/status-error.ts'
import { createReport } from '../../kernel/validation/field-error.ts'
import { typeMessage } from '../../kernel/validation/type-message.ts'
import type { JsonObject } from '../../kernel/values/json.ts'
import { nearestName } from '../../kernel/values/spelling.ts'
import type { Registry, WriteOptions } from '../../registry/registry.ts'
import { followPath, type LocatedValue, type TextRange } from '../../serializer/serializer.ts'
import type { FieldNames } from '../kinds/field-names.ts'
import type { Fix } from '../rules/finding.ts'
import type { PartFinding } from '../rules/part-finding.ts'
import { type RuleId, rules } from '../rules/rule.ts'
import { dryOptions } from './dry-registry.ts'
import { type CustomRules, withFailingParts } from './failing-rules.ts'

/** An object of a document, and what judges it. */
export interface ObjectToCheck {
  readonly kind: AnyKind
  readonly root: LocatedValue<TextRange>
  readonly value: JsonObject
  readonly registry: Registry
  readonly fieldNames: () => Promise<FieldNames>
  /** The schema of a custom kind. */
  readonly custom: CustomRules | undefined
}

/** Every finding about an object, those of its reader and those of its strategies and rules. */
export async function checkObject(object: ObjectToCheck): Promise<readonly PartFinding[]> {
  const { kind, root, value } = object
  const report = createReport()
  const withDefaults = kind.read(value, report)
  const { typeErrors, errors, unknownFields } = report
  const mistyped = new Set(typeErrors.map(({ path }) => path))
  const types = typeErrors.map(({ path, message }) =>
    withQuotes(part('field.type', root, path, typeMessage(message)), root),
  )
  const unknown = await unknownFieldFindings(object, unknownFields)
  const read = errors
    .filter(({ path }) => !mistyped.has(path))
    .map(({ path, message, reason }) => part(ruleOf(reason), root, path, message))
  if (types.length > 0) return [...types, ...unknown, ...read]
  const { found, isWhole } = await judge(object)
  const judged = withFailingParts(kind, object.custom, withDefaults, found)
  const told = new Set(judged.map(({ path }) => path))
  const more = isWhole ? [] : read.filter(({ path }) => !told.has(path))
  return [...unknown, ...judged, ...more]
}

/** True if a server would take an object, and warn of nothing. */
export async function passesAlone(
  kind: AnyKind,
  value: JsonObject,
  registry: Registry,
): Promise<boolean> {
  if (!isStored(kind)) {
    const report = createReport()
    kind.read(value, report)
    const { typeErrors, errors, unknownFields } = report
    return typeErrors.length + errors.length + unknownFields.length === 0
  }
  try {
    const options = { ...dryOptions, untracked: true, fieldValidation: 'Strict' } as const
    return (await createdIn(registry, kind, value, options)).warnings.length === 0
  } catch (error) {
    if (!isStatus(error)) throw error
    return false
  }
}

/** A part of the object: the value at the path, or the key of what is closest to it. */
function part(
  rule: RuleId,
  root: LocatedValue<TextRange>,
  path: string,
  message: string,
): PartFinding {
  const { node, entry, complete } = placeOf(root, path)
  const ofKey =
    entry !== undefined && message.startsWith(`Invalid value: ${JSON.stringify(entry.key)}`)
  const isKey = ofKey && path.endsWith(`[${entry.key}]`)
  const at = complete && !isKey ? node.at : (entry?.keyAt ?? node.at)
  const { severity } = rules[rule]
  return { rule, severity, at, path, message: path === '' ? message : `${path}: ${message}` }
}

/** As readers of generated kinds say it, and as schemas of definitions do. */
const wantsString =
  / (must be a string, not an? (integer|number|boolean)|must be of type string: "(integer|number|boolean)")$/

/** A text that YAML takes for something else wants quotes; a number in quotes wants none. */
function withQuotes(one: PartFinding, root: LocatedValue<TextRange>): PartFinding {
  const { node, complete } = followPath(root, one.path ?? '')
  if (!complete || node.is !== 'scalar' || node.at.end <= node.at.offset) return one
  const { offset, end } = node.at
  const { value } = node
  if (wantsString.test(one.message)) {
    const [before, after] = [offset, end].map((at) => ({ start: at, end: at, text: '"' }))
    if (before === undefined || after === undefined) return one
    return { ...one, fix: { title: 'write it in quotes', edits: [before, after] } }
  }
  const isNumber = / must be an integer, not a string$/.test(one.message)
  const isBoolean = / must be (a boolean|true or false), not a string$/.test(one.message)
  const form = isNumber ? /^(0|-?[1-9]\d{0,8})$/ : isBoolean ? /^(true|false)$/ : undefined
  if (form === undefined || typeof value !== 'string' || !form.test(value)) return one
  if (end - offset !== value.length + 2) return one
  return {
    ...one,
    fix: { title: 'write it without quotes', edits: [{ start: offset, end, text: value }] },
  }
}

/** Errors in the only schema of a definition are told at a field that older definitions had. */
function placeOf(root: LocatedValue<TextRange>, path: string) {
  const found = followPath(root, path)
  if (found.complete || !path.startsWith('spec.validation')) return found
  const own = followPath(root, path.replace('spec.validation', 'spec.versions[0].schema'))
  return own.complete ? own : found
}

/** The fields that the schema does not have, with the nearest one that it has. */
async function unknownFieldFindings(
  { root, fieldNames }: ObjectToCheck,
  paths: readonly string[],
): Promise<readonly PartFinding[]> {
  if (paths.length === 0) return []
  const namesAt = await fieldNames()
  return paths.map((path) => {
    const { node, entry } = followPath(root, path)
    const name = entry?.key ?? path
    const names = namesAt(path.slice(0, path.length - name.length).replace(/\.$/, ''))
    const near = nearestName(name, names)
    const hint = near === undefined ? '' : `; did you mean "${near}"?`
    const at = entry?.keyAt ?? node.at
    const fix = near === undefined ? undefined : renaming(root, path, at, name, near)
    return {
      rule: 'field.unknown',
      severity: rules['field.unknown'].severity,
      at,
      path,
      message: `${path}: unknown field${hint}`,
      ...(near !== undefined && { nearest: near }),
      ...(fix && { fix }),
    }
  })
}

/** A name that differs in its case only is what its author meant, unless the right one stands beside it. */
function renaming(
  root: LocatedValue<TextRange>,
  path: string,
  { offset, end }: TextRange,
  name: string,
  near: string,
): Fix | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[-_]/g, '')
  if (plain(name) !== plain(near)) return undefined
  const parent = path.slice(0, path.length - name.length)
  if (followPath(root, `${parent}${near}`).complete) return undefined
  if (end - offset !== name.length) return undefined
  return { title: `rename ${name} to ${near}`, edits: [{ start: offset, end, text: near }] }
}

/** What a server says of an object. */
interface Judgement {
  readonly found: readonly PartFinding[]
  /** True if it is all that is wrong: what the reader says of fields whose gates are off does not count. */
  readonly isWhole: boolean
}

/** Every field error, or the warnings about an object that is taken. */
async function judge({ kind, root, value, registry }: ObjectToCheck): Promise<Judgement> {
  if (!isStored(kind)) return { found: [], isWhole: false }
  try {
    const options = { ...dryOptions, untracked: true }
    const { warnings } = await createdIn(registry, kind, value, options)
    return { found: warnings.map((text) => warningOf(root, text)), isWhole: true }
  } catch (error) {
    if (!isStatus(error)) throw error
    const isWhole = (error.details?.causes ?? []).length > 0
    return { found: refusals(root, error), isWhole }
  }
}

function createdIn(registry: Registry, kind: AnyKind, value: JsonObject, options: WriteOptions) {
  const namespace = kind.scope === 'Namespaced' ? namespaceOf(value) : undefined
  const target = { kind, ...(namespace !== undefined && { namespace }) }
  return registry.create(target, { value, duplicates: [] }, options)
}

/** Reviews and actions are answered, not stored: only their types are judged. */
export function isStored(kind: AnyKind): boolean {
  return kind.review === undefined && kind.forwardsTo === undefined && kind.verbs.includes('create')
}

function namespaceOf({ metadata }: JsonObject): string {
  const given = (metadata as JsonObject | undefined | null)?.namespace
  return typeof given === 'string' && given !== '' ? given : 'default'
}

/** What a server adds to other errors says nothing that could be mended. */
const rulesNotChecked = 'some validation rules were not checked because the object was invalid'

function refusals(
  root: LocatedValue<TextRange>,
  { message, details }: StatusError,
): readonly PartFinding[] {
  const causes = details?.causes ?? []
  if (causes.length === 0) return [part('object.refused', root, '', message)]
  const told = causes.filter(({ message = '' }) => !message.includes(rulesNotChecked))
  return told.map(({ field = '', message, reason }) =>
    part(ruleOf(reason), root, field === '<nil>' ? '' : field, message),
  )
}

/** A warning begins with the field that it is about, where it is about one. */
function warningOf(root: LocatedValue<TextRange>, text: string): PartFinding {
  const [, path = '', rest = ''] = /^([a-z][A-Za-z0-9]*(?:[.[][^:\s]*)?): (.*)$/s.exec(text) ?? []
  const found = path !== '' && followPath(root, path).complete
  return found ? part('object.warning', root, path, rest) : part('object.warning', root, '', text)
}

const rulesByReason: Readonly<Record<string, RuleId>> = {
  FieldValueRequired: 'field.required',
  FieldValueNotSupported: 'field.not-supported',
  FieldValueDuplicate: 'field.duplicate',
  FieldValueForbidden: 'field.forbidden',
  FieldValueNotFound: 'field.not-found',
  FieldValueTooLong: 'field.size',
  FieldValueTooMany: 'field.size',
  FieldValueTypeInvalid: 'field.type',
}

function ruleOf(reason: string | undefined): RuleId {
  return rulesByReason[reason ?? ''] ?? 'field.invalid'
}
