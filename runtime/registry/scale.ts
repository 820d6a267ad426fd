import { readObject } from '../codec/codec.ts'
import { invariant } from '../kernel/invariant.ts'
import { isObject, type Json, type JsonObject } from '../kernel/json.ts'
import type { Kind, ScalePaths } from '../kernel/kind.ts'
import { type LabelSelectorLike, printLabelSelector, requirementsOf } from '../kernel/labels.ts'
import { type ApiObject, apiVersionOf } from '../kernel/object.ts'
import { valueAt } from '../kernel/paths.ts'
import type { Guise } from './admit.ts'
import { change } from './change.ts'
import type { Context } from './context.ts'
import { checkName, type Draft, decodeBody, inNamespace } from './decode.ts'
import { invalid, notFound } from './errors.ts'
import { itemOfObject } from './item.ts'
import { type Records, recordsIn } from './managed.ts'
import { type Patcher, patchedDraft } from './patch.ts'
import { get } from './read.ts'
import type { Body, Item, ReadOptions, Target, WriteOptions, Written } from './registry.ts'
import { subresourceOf } from './subresources.ts'
import { throughView } from './view.ts'

/** What a scale says of an object, and the kind of the scale itself. */
export interface Scaling {
  readonly paths: ScalePaths
  readonly kind: Kind
}

/** The scale facts of a target that is a scale; undefined for all others. */
export function scalingOf(target: Target): Scaling | undefined {
  const { scale: paths, body } = subresourceOf(target) ?? {}
  return paths && body && { paths, kind: body() }
}

/** Reads an object as its scale. */
export async function getScale(
  context: Context,
  target: Target,
  scaling: Scaling,
  options: ReadOptions,
): Promise<Item> {
  return scaleItem(scaling, await get(context, target, options))
}

/** Sets the wanted number from a scale; its version and uid, where it has them, must be the object's. */
export async function updateScale(
  context: Context,
  target: Target,
  scaling: Scaling,
  body: Body,
  options: WriteOptions,
): Promise<Written> {
  const draft = decodeBody(scaling, body, options.fieldValidation)
  return write(context, target, scaling, options, () => draft)
}

/** Patches the scale of an object. */
export async function patchScale(
  context: Context,
  target: Target,
  scaling: Scaling,
  patch: Patcher,
  body: Body,
  options: WriteOptions,
): Promise<Written> {
  return write(context, target, scaling, options, (current) =>
    patchedDraft(scaling.kind, patch, body, options, scaleItem(scaling, current)),
  )
}

async function write(
  context: Context,
  target: Target,
  scaling: Scaling,
  options: WriteOptions,
  wanted: (current: Item) => Draft,
): Promise<Written> {
  const wanting = (current: Item) => scaled(target, scaling, wanted(current), current.object())
  const written = await change(context, target, options, wanting, guiseOf(scaling))
  if (written === undefined) throw notFound(target.kind, target.name ?? '')
  return { ...written, item: scaleItem(scaling, written.item) }
}

/** A scale is admitted as a scale, not as the object that it scales. */
export function guiseOf(scaling: Scaling): Guise {
  const { specReplicasPath } = scaling.paths
  return {
    kind: scaling.kind,
    show: (object) => scaleItem(scaling, itemOfObject(object)).object(),
    take(scale, object) {
      const replicas = valueAt(scale, 'spec.replicas') ?? 0
      const given = nested(specReplicasPath, replicas)
      return throughView({ writes: [specReplicasPath] }, given, object)
    },
  }
}

/** The object as its scale wants it. */
function scaled(target: Target, { kind, paths }: Scaling, draft: Draft, old: ApiObject): Draft {
  checkName(target, draft.object)
  const { metadata } = inNamespace(target, draft.object)
  if (draft.findings.length > 0) throw invalid(kind, metadata.name ?? '', draft.findings)
  const replicas = valueAt(draft.object, 'spec.replicas') ?? 0
  const view = { writes: [paths.specReplicasPath] }
  const object = throughView(view, nested(paths.specReplicasPath, replicas), old)
  const { uid, resourceVersion } = metadata
  const named = { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) }
  return { ...draft, object: { ...object, metadata: { ...old.metadata, ...named } } }
}

/** An object with nothing but a value at a dotted path. */
export function nested(path: string, value: unknown): ApiObject {
  return path
    .split('.')
    .reduceRight<unknown>((inner, step) => ({ [step]: inner }), value) as ApiObject
}

/** The scale of an item. */
export function scaleItem({ kind, paths }: Scaling, item: Item): Item {
  const object = item.object()
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  const count = (path: string): Json => (valueAt(object, path) as Json | undefined) ?? 0
  const selector = selectorText(valueAt(object, paths.labelSelectorPath ?? '') as Json | undefined)
  const managedFields = scaleRecords({ kind, paths }, object)
  const { object: scale, report } = readObject(kind, {
    metadata: {
      name,
      namespace,
      uid,
      resourceVersion,
      creationTimestamp,
      ...(managedFields.length > 0 && { managedFields }),
    },
    spec: { replicas: count(paths.specReplicasPath) },
    status: { replicas: count(paths.statusReplicasPath), selector },
  } as unknown as JsonObject)
  invariant(report.types.length === 0, `what ${kind.kind} shows has its types`)
  return itemOfObject(scale)
}

/** Who manages the wanted number, as managers of the scale's own field (supplement A-17). */
function scaleRecords({ kind, paths }: Scaling, object: ApiObject): Records {
  const steps = paths.specReplicasPath.split('.').map((step) => `f:${step}`)
  return (recordsIn(object) ?? [])
    .filter(({ fieldsV1 }) => reaches(fieldsV1 as Json, steps))
    .map((record) => ({
      ...record,
      apiVersion: apiVersionOf(kind),
      fieldsV1: { 'f:spec': { 'f:replicas': {} } },
    }))
}

function reaches(fields: Json, [step, ...rest]: readonly string[]): boolean {
  if (step === undefined) return true
  return isObject(fields) && Object.hasOwn(fields, step) && reaches(fields[step] as Json, rest)
}

/** A selector as a list request takes it: text, a map of labels, or a selector object. */
function selectorText(selector: Json | undefined): string {
  if (typeof selector === 'string') return selector
  if (!isObject(selector)) return ''
  const { matchLabels, matchExpressions } = selector
  const whole = isObject(matchLabels) || Array.isArray(matchExpressions)
  const object = whole || Object.keys(selector).length === 0 ? selector : { matchLabels: selector }
  return printLabelSelector(requirementsOf(object as LabelSelectorLike) ?? [])
}
