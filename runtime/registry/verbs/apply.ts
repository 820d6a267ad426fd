import {
  type ApplyResult,
  applyConfig,
  describeConflicts,
  emptyObjectOf,
  noFields,
  recordsOf,
} from '../../apply/apply.ts'
import { timestamp } from '../../kernel/async/clock.ts'
import type { Kind } from '../../kernel/descriptors/kind.ts'
import { isStatus, StatusError } from '../../kernel/errors/status-error.ts'
import { type ApiObject, apiVersionOf } from '../../kernel/meta/object.ts'
import { createReport } from '../../kernel/validation/field-error.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import type { RegistryContext } from '../contract/context.ts'
import type { Body, Item, Target, WriteOptions, WriteResult } from '../contract/contract.ts'
import { conflict, notFound } from '../contract/errors.ts'
import { checkName, type Draft } from '../strategy/decode.ts'
import {
  fieldManagersOf,
  fieldWriter,
  type ManagedFields,
  trackedFields,
  versionViews,
} from '../strategy/managed-fields.ts'
import {
  admittedAsScale,
  objectWithField,
  type ScaleSubresource,
  scaleSubresourceOf,
  toScale,
} from '../subresources/scale.ts'
import { insertNew } from './create.ts'
import { guaranteedUpdate } from './guaranteed-update.ts'
import { fieldsLastApplied, lastApplied, withLastApplied } from './last-applied.ts'
import { readPatched } from './patch.ts'

/**
 * Applies one manager's whole intent: makes the object if it is not there, else merges into it (A4.58, A4.59). An apply
 * that lost against another write is repeated on what that one left.
 */
export async function apply(
  context: RegistryContext,
  target: Target,
  body: Body,
  options: WriteOptions,
): Promise<WriteResult> {
  const scaling = scaleSubresourceOf(target)
  const config =
    scaling === undefined
      ? readConfig(target, body.value)
      : scaleAsParent(target, scaling, readConfig({ ...target, kind: scaling.kind }, body.value))
  const warnings = duplicateWarnings(body, options)
  for (;;) {
    const wanted = (current: Item) => {
      const live = current.object()
      return draftOf(context, target, { config, live, current, options, warnings })
    }
    const guise = scaling && admittedAsScale(scaling)
    const written = await guaranteedUpdate(context, target, options, wanted, guise)
    if (written !== undefined) {
      return scaling === undefined ? written : { ...written, item: toScale(scaling, written.item) }
    }
    if (target.subresource !== undefined) throw notFound(target.kind, target.name ?? '')
    const { resourceVersion, uid } = config.metadata as JsonObject
    if (resourceVersion || uid || options.resourceVersion) {
      throw conflict(target.kind, target.name ?? '')
    }
    try {
      return await insertNew(
        context,
        target,
        newDraft(context, target, config, options, warnings),
        options,
      )
    } catch (error) {
      if (!isStatus(error, 'AlreadyExists')) throw error
    }
  }
}

/** What a scale says, as a configuration of the object that it scales: the number wanted, and nothing else. */
function scaleAsParent(
  { kind }: Target,
  { paths }: ScaleSubresource,
  scale: JsonObject,
): JsonObject {
  const { name, namespace, uid, resourceVersion } = scale.metadata as JsonObject
  const metadata = Object.fromEntries(
    Object.entries({ name, namespace, uid, resourceVersion }).filter(([, value]) => value),
  ) as JsonObject
  const replicas = isObject(scale.spec) ? scale.spec.replicas : undefined
  const type = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata }
  if (replicas === undefined) return type
  return {
    ...(objectWithField(paths.specReplicasPath, replicas) as unknown as JsonObject),
    ...type,
  }
}

interface ApplyRequest {
  readonly config: JsonObject
  readonly live: ApiObject
  /** Absent for an object that is not there yet. */
  readonly current?: Item
  readonly options: WriteOptions
  readonly warnings: readonly string[]
}

function newDraft(
  context: RegistryContext,
  target: Target,
  config: JsonObject,
  options: WriteOptions,
  warnings: readonly string[],
): Draft {
  const { kind, name = '' } = target
  const live: ApiObject = { kind: kind.kind, apiVersion: apiVersionOf(kind), metadata: { name } }
  const draft = draftOf(context, target, { config, live, options, warnings })
  checkName(target, draft.object)
  return draft
}

function draftOf(context: RegistryContext, target: Target, wanted: ApplyRequest): Draft {
  const { config, live, current, options, warnings } = wanted
  const { object, records, unchanged } = mergeConfig(context, target, wanted)
  if (unchanged && current !== undefined) {
    return { object: live, findings: [], warnings, unchanged: true }
  }
  const { scheme } = context
  const annotated =
    options.manager === scheme.platform.client &&
    lastApplied(trackedFields(live), scheme.platform) !== undefined
      ? withLastApplied(object, config, scheme.platform)
      : object
  const read = readPatched(target.kind, annotated, target.name ?? '')
  return { object: read.object, findings: read.report.errors, warnings, managed: records }
}

interface MergeResult {
  readonly object: JsonObject
  readonly records: ManagedFields
  /** Neither the object nor who manages what is another one. */
  readonly unchanged: boolean
}

function mergeConfig(context: RegistryContext, target: Target, wanted: ApplyRequest): MergeResult {
  const { config, live, options } = wanted
  const { kind } = target
  const { platform } = context.scheme
  const value = trackedFields(live)
  const managers = fieldManagersOf(context, target, live)
  const request = {
    live: value,
    managers,
    config,
    writer: fieldWriter(target, options.manager),
    force: options.force === true,
    empty: wanted.current === undefined ? value : emptyObjectOf(kind),
    views: versionViews(context, target),
    now: timestamp(context.clock.now()),
  }
  let applied: ApplyResult = applyConfig(request)
  if ('conflicts' in applied && options.manager === platform.client) {
    const tolerated = fieldsLastApplied(value, platform, kind.merge) ?? noFields
    applied = applyConfig({ ...request, forcedFields: tolerated })
  }
  if ('problems' in applied) throw schemaConflict(kind, config, applied.problems)
  if ('conflicts' in applied) throw applyConflict(applied)
  const unchanged = applied.object === value && applied.managers === managers
  return { object: applied.object, records: recordsOf(applied.managers), unchanged }
}

function applyConflict({ conflicts }: Extract<ApplyResult, { readonly conflicts: unknown }>) {
  const { message, causes } = describeConflicts(conflicts)
  return new StatusError('Conflict', message, {
    details: { causes: causes.map((cause) => ({ reason: 'FieldManagerConflict', ...cause })) },
  })
}

/** Reads the body of an apply: of the path's kind and version, without records, nothing outside the schema. */
function readConfig(target: Target, value: Json): JsonObject {
  const { kind } = target
  if (!isObject(value)) {
    throw new StatusError(
      'BadRequest',
      'error decoding YAML: an applied configuration is an object',
    )
  }
  const expected = apiVersionOf(kind)
  const { apiVersion = '', kind: given = '' } = value
  if (apiVersion !== expected) {
    throw new StatusError(
      'BadRequest',
      'Incorrect version specified in apply patch. ' +
        `Specified patch version: ${apiVersion}, expected: ${expected}`,
    )
  }
  if (given !== kind.kind) {
    const type = `${kind.group}/${kind.version}, Kind=${given}`
    throw new StatusError('BadRequest', `invalid object type: ${type}`)
  }
  const metadata = isObject(value.metadata) ? value.metadata : {}
  if (metadata.managedFields !== undefined && metadata.managedFields !== null) {
    throw new StatusError('BadRequest', 'metadata.managedFields must be nil')
  }
  checkSchema(kind, value)
  return { ...value, metadata: { name: target.name ?? '', ...metadata } }
}

function checkSchema(kind: Kind, config: JsonObject): void {
  const report = createReport()
  kind.read(config, report)
  const problems = [
    ...report.typeErrors.map(({ path, message }) => `.${path}: ${message}`),
    ...report.unknownFields.map((path) => `.${path}: field not declared in schema`),
  ]
  if (problems.length > 0) throw schemaConflict(kind, config, problems)
}

const maxProblems = 100

function schemaConflict(kind: Kind, config: JsonObject, problems: readonly string[]): StatusError {
  const { namespace = '', name = '' } = (config.metadata ?? {}) as Record<string, Json>
  const type = `${kind.group}/${kind.version}, Kind=${kind.kind}`
  const shown = problems.slice(0, maxProblems)
  const why =
    problems.length === 1 ? problems[0] : ['errors:', ...shown.map((one) => `  ${one}`)].join('\n')
  return new StatusError(
    '',
    `failed to create typed patch object (${namespace}/${name}; ${type}): ${why}`,
  )
}

function duplicateWarnings({ duplicates }: Body, { fieldValidation }: WriteOptions) {
  if (fieldValidation === 'Strict' && duplicates.length > 0) {
    throw new StatusError('BadRequest', `error strict decoding YAML: ${duplicates.join(', ')}`)
  }
  return fieldValidation === 'Warn' ? duplicates : []
}
