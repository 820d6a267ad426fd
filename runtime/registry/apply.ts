import {
  type Applied,
  applyConfig,
  blankOf,
  describeConflicts,
  noFields,
  recordsOf,
} from '../apply/apply.ts'
import { isObject, type Json, type JsonObject } from '../kernel/json.ts'
import type { Kind } from '../kernel/kind.ts'
import { type ApiObject, apiVersionOf } from '../kernel/object.ts'
import { createReport } from '../kernel/read.ts'
import { isStatus, StatusError } from '../kernel/status.ts'
import { timestamp } from '../kernel/time.ts'
import { change } from './change.ts'
import type { Context } from './context.ts'
import { insert } from './create.ts'
import { checkName, type Draft } from './decode.ts'
import { conflict, notFound } from './errors.ts'
import { lastApplied, takenOver, withLastApplied } from './last-applied.ts'
import { managersIn, type Records, trackedOf, viewsOf, writerOf } from './managed.ts'
import { readPatched } from './patch.ts'
import type { Body, Item, Target, WriteOptions, Written } from './registry.ts'
import { guiseOf, nested, type Scaling, scaleItem, scalingOf } from './scale.ts'

/**
 * Applies one manager's whole intent: makes the object if it is not there, else merges into it (A4.58, A4.59). An apply
 * that lost against another write is repeated on what that one left.
 */
export async function apply(
  context: Context,
  target: Target,
  body: Body,
  options: WriteOptions,
): Promise<Written> {
  const scaling = scalingOf(target)
  const config =
    scaling === undefined
      ? readConfig(target, body.value)
      : asParent(target, scaling, readConfig({ ...target, kind: scaling.kind }, body.value))
  const warnings = duplicateWarnings(body, options)
  for (;;) {
    const wanted = (current: Item) => {
      const live = current.object()
      return draftOf(context, target, { config, live, current, options, warnings })
    }
    const guise = scaling && guiseOf(scaling)
    const written = await change(context, target, options, wanted, guise)
    if (written !== undefined) {
      return scaling === undefined
        ? written
        : { ...written, item: scaleItem(scaling, written.item) }
    }
    if (target.subresource !== undefined) throw notFound(target.kind, target.name ?? '')
    const { resourceVersion, uid } = config.metadata as JsonObject
    if (resourceVersion || uid || options.resourceVersion) {
      throw conflict(target.kind, target.name ?? '')
    }
    try {
      return await insert(
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
function asParent({ kind }: Target, { paths }: Scaling, scale: JsonObject): JsonObject {
  const { name, namespace, uid, resourceVersion } = scale.metadata as JsonObject
  const metadata = Object.fromEntries(
    Object.entries({ name, namespace, uid, resourceVersion }).filter(([, value]) => value),
  ) as JsonObject
  const replicas = isObject(scale.spec) ? scale.spec.replicas : undefined
  const type = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata }
  if (replicas === undefined) return type
  return { ...(nested(paths.specReplicasPath, replicas) as unknown as JsonObject), ...type }
}

interface Wanted {
  readonly config: JsonObject
  readonly live: ApiObject
  /** Absent for an object that is not there yet. */
  readonly current?: Item
  readonly options: WriteOptions
  readonly warnings: readonly string[]
}

function newDraft(
  context: Context,
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

function draftOf(context: Context, target: Target, wanted: Wanted): Draft {
  const { config, live, current, options, warnings } = wanted
  const { object, records, unchanged } = merged(context, target, wanted)
  if (unchanged && current !== undefined) {
    return { object: live, findings: [], warnings, unchanged: true }
  }
  const { tree } = context
  const annotated =
    options.manager === tree.platform.client &&
    lastApplied(trackedOf(live), tree.platform) !== undefined
      ? withLastApplied(object, config, tree.platform)
      : object
  const read = readPatched(target.kind, annotated, target.name ?? '')
  return { object: read.object, findings: read.report.findings, warnings, managed: records }
}

interface Merged {
  readonly object: JsonObject
  readonly records: Records
  /** Neither the object nor who manages what is another one. */
  readonly unchanged: boolean
}

function merged(context: Context, target: Target, wanted: Wanted): Merged {
  const { config, live, options } = wanted
  const { kind } = target
  const { platform } = context.tree
  const value = trackedOf(live)
  const managers = managersIn(context, target, live)
  const request = {
    live: value,
    managers,
    config,
    writer: writerOf(target, options.manager),
    force: options.force === true,
    blank: wanted.current === undefined ? value : blankOf(kind),
    views: viewsOf(context, target),
    now: timestamp(context.clock.now()),
  }
  let applied: Applied = applyConfig(request)
  if ('conflicts' in applied && options.manager === platform.client) {
    const tolerated = takenOver(value, platform, kind.merge) ?? noFields
    applied = applyConfig({ ...request, tolerated })
  }
  if ('problems' in applied) throw untyped(kind, config, applied.problems)
  if ('conflicts' in applied) throw applyConflict(applied)
  const unchanged = applied.object === value && applied.managers === managers
  return { object: applied.object, records: recordsOf(applied.managers), unchanged }
}

function applyConflict({ conflicts }: Extract<Applied, { readonly conflicts: unknown }>) {
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
    ...report.types.map(({ path, message }) => `.${path}: ${message}`),
    ...report.unknown.map((path) => `.${path}: field not declared in schema`),
  ]
  if (problems.length > 0) throw untyped(kind, config, problems)
}

const mostProblems = 100

function untyped(kind: Kind, config: JsonObject, problems: readonly string[]): StatusError {
  const { namespace = '', name = '' } = (config.metadata ?? {}) as Record<string, Json>
  const type = `${kind.group}/${kind.version}, Kind=${kind.kind}`
  const shown = problems.slice(0, mostProblems)
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
