/** The scale of an object: its wanted and actual replicas, as a kind of its own. */

import type { ScalePaths } from '../../kernel/descriptors/kind.ts'
import { invariant } from '../../kernel/errors/invariant.ts'
import {
  type LabelSelectorFields,
  labelRequirementsOf,
  printLabelSelector,
} from '../../kernel/meta/label-selector.ts'
import { type ApiObject, apiVersionOf } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { valueAtPath } from '../../kernel/values/dotted-path.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { readObject } from '../../serializer/serializer.ts'
import type { Item, Target } from '../contract/contract.ts'
import { invalid } from '../contract/errors.ts'
import { itemOfObject } from '../storage/item.ts'
import type { AdmittedForm } from './admission.ts'
import type { Draft } from './decode.ts'
import { checkName, withRequestNamespace } from './request-identity.ts'
import type { ScaleSubresource } from './scale-subresource.ts'
import { copyWritableFields } from './writable-fields.ts'

/** Plugins see a scale, not the object that it scales; of what they change only the replicas are taken back. */
export function admittedAsScale(scaling: ScaleSubresource): AdmittedForm {
  const { specReplicasPath } = scaling.paths
  return {
    kind: scaling.kind,
    toAdmitted: (object) => toScale(scaling, itemOfObject(object)).object(),
    fromAdmitted(scale, object) {
      const replicas = valueAtPath(scale, 'spec.replicas') ?? 0
      const given = objectWithField(specReplicasPath, replicas)
      return copyWritableFields({ writes: [specReplicasPath] }, given, object)
    },
  }
}

/** The object with the number of replicas that its scale wants. @throws StatusError Invalid, or BadRequest for another name. */
export function withScaleReplicas(
  target: Target,
  { kind, paths }: ScaleSubresource,
  draft: Draft,
  old: ApiObject,
): Draft {
  checkName(target, draft.object)
  const { metadata } = withRequestNamespace(target, draft.object)
  const errors = scaleErrors(target, draft)
  if (errors.length > 0) throw invalid(kind, metadata.name ?? '', errors)
  const replicas = valueAtPath(draft.object, 'spec.replicas') ?? 0
  const view = { writes: [paths.specReplicasPath] }
  const object = copyWritableFields(view, objectWithField(paths.specReplicasPath, replicas), old)
  if (errors.length < draft.fieldErrors.length) judgeUndeclared(target, paths, object, old)
  const { uid, resourceVersion } = metadata
  const named = { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) }
  return { ...draft, object: { ...object, metadata: { ...old.metadata, ...named } } }
}

/** What is wrong with the scale itself. How many replicas a custom object may want is told of the object. */
function scaleErrors({ kind }: Target, { fieldErrors }: Draft): readonly FieldError[] {
  if (kind.customResource === undefined) return fieldErrors
  return fieldErrors.filter(({ path }) => path !== 'spec.replicas')
}

/** Where the schema has no field for the replicas they are not stored, and so not looked at later. @throws StatusError Invalid. */
function judgeUndeclared({ kind }: Target, paths: ScalePaths, object: ApiObject, old: ApiObject) {
  const { object: kept } = readObject(kind, object as unknown as Json)
  if (valueAtPath(kept, paths.specReplicasPath) !== undefined) return
  const told = kind.customResource?.fieldErrors(object, [], { old }) ?? []
  if (told.length > 0) throw invalid(kind, old.metadata.name ?? '', told)
}

/** An applied scale as a configuration of the object that it scales: the number of replicas, and nothing else. */
export function scaleAsParent(
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

/** An object with nothing but a value at a dotted path. */
export function objectWithField(path: string, value: unknown): ApiObject {
  return path
    .split('.')
    .reduceRight<unknown>((inner, step) => ({ [step]: inner }), value) as ApiObject
}

/** The scale of an item: its identity, its wanted and actual replicas, and its selector as text. */
export function toScale({ kind, paths }: ScaleSubresource, item: Item): Item {
  const object = item.object()
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  const count = (path: string): Json => (valueAtPath(object, path) as Json | undefined) ?? 0
  const selector = selectorText(
    valueAtPath(object, paths.labelSelectorPath ?? '') as Json | undefined,
  )
  const { object: scale, report } = readObject(kind, {
    metadata: {
      name,
      namespace,
      uid,
      resourceVersion,
      creationTimestamp,
    },
    spec: { replicas: count(paths.specReplicasPath) },
    status: { replicas: count(paths.statusReplicasPath), selector },
  } as unknown as JsonObject)
  invariant(report.typeErrors.length === 0, `what ${kind.kind} shows has its types`)
  return itemOfObject(scale)
}

/** A selector as list requests take it. Kinds keep it as text, as a map of labels, or as a LabelSelector. */
function selectorText(selector: Json | undefined): string {
  if (typeof selector === 'string') return selector
  if (!isObject(selector)) return ''
  const { matchLabels, matchExpressions } = selector
  const whole = isObject(matchLabels) || Array.isArray(matchExpressions)
  const object = whole || Object.keys(selector).length === 0 ? selector : { matchLabels: selector }
  return printLabelSelector(labelRequirementsOf(object as LabelSelectorFields) ?? [])
}
