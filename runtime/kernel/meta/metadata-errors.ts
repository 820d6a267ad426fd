import type { CauseReason, FieldError } from '../validation/field-error.ts'
import { goValue, Shown } from '../validation/go-value.ts'
import { deepEqual } from '../values/deep-equal.ts'
import { quoted } from '../values/quoted.ts'
import { annotationBytes, annotationKeyProblems, mostAnnotationBytes } from './annotations.ts'
import { ownerlessProblems } from './finalizers.ts'
import {
  dnsLabelProblems,
  labelValueProblems,
  type NameFormat,
  nameProblems,
  qualifiedNameProblems,
} from './names.ts'
import type { Metadata, OwnerReferenceLike } from './object.ts'

type FieldErrors = readonly FieldError[]

/**
 * Every field error of the metadata of a new object (ValidateObjectMeta of the reference). The checks are those that all kinds have
 * in common; the format of names alone is the kind's. `brand` is the platform's, for its own kinds: their finalizers have a domain
 * or are well known.
 */
export function newMetadataErrors(
  nameFormat: NameFormat,
  metadata: Metadata,
  brand?: string,
): FieldErrors {
  return [
    ...nameErrors(nameFormat, metadata),
    ...namespaceErrors(metadata),
    ...generationErrors(metadata),
    ...commonErrors(metadata),
    ...finalizerErrors(metadata.finalizers ?? []),
    ...ownerlessErrors(metadata.finalizers ?? [], brand),
  ]
}

/** Every field error of metadata on its way to replace `old` (ValidateObjectMetaUpdate of the reference). */
export function metadataChangeErrors(
  metadata: Metadata,
  old: Metadata,
  brand?: string,
): FieldErrors {
  return [
    ...newFinalizerErrors(metadata, old),
    ...changeErrors(metadata, old),
    ...commonErrors(metadata),
    ...ownerlessErrors(metadata.finalizers ?? [], brand),
  ]
}

/** Field errors of metadata on its way to replace `old`, each once: none if neither of the two has any. */
export function updatedMetadataErrors(
  nameFormat: NameFormat,
  metadata: Metadata,
  old: Metadata,
  brand?: string,
): FieldErrors {
  const { finalizers } = metadata
  return [
    ...metadataChangeErrors(metadata, old, brand),
    ...(finalizers?.length ? finalizerErrors(finalizers) : []),
    ...(metadata.generateName ? nameErrors(nameFormat, metadata) : []),
  ]
}

/** What new and changed metadata is judged for alike. */
function commonErrors({ labels, annotations, ownerReferences }: Metadata): FieldErrors {
  return [
    ...labelErrors(labels ?? {}),
    ...annotationErrors(annotations ?? {}),
    ...ownerErrors(ownerReferences ?? []),
  ]
}

/**
 * A name or a prefix for a generated one is required; the prefix need only be valid with letters and digits behind it.
 */
function nameErrors(
  nameFormat: NameFormat,
  { name = '', generateName = '' }: Metadata,
): FieldErrors {
  const invalidPrefix = generateName === '' ? [] : nameProblems(nameFormat, generateName, true)
  const prefix = invalidPrefix.map((why) => invalid('metadata.generateName', generateName, why))
  if (name !== '') {
    const problems = nameProblems(nameFormat, name)
    return [...prefix, ...problems.map((why) => invalid('metadata.name', name, why))]
  }
  const message = 'Required value: name or generateName is required'
  return [...prefix, { path: 'metadata.name', reason: 'FieldValueRequired', message }]
}

function namespaceErrors({ namespace = '' }: Metadata): FieldErrors {
  const problems = namespace === '' ? [] : dnsLabelProblems(namespace)
  return problems.map((why) => invalid('metadata.namespace', namespace, why))
}

/** A sender may count generations where the kind does not. */
function generationErrors({ generation = 0 }: Metadata): FieldErrors {
  if (generation >= 0) return []
  return [invalid('metadata.generation', generation, 'must be greater than or equal to 0')]
}

/** What no update changes: the system sets it once. */
const fixed = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const

function changeErrors(metadata: Metadata, old: Metadata): FieldErrors {
  return fixed
    .filter((field) => !deepEqual(metadata[field] ?? undefined, old[field] ?? undefined))
    .map((field) => {
      const value = field.endsWith('Timestamp') ? shown(metadata[field]) : metadata[field]
      return invalid(`metadata.${field}`, value, 'field is immutable')
    })
}

/** A time as messages show it. */
function shown(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT[\d:]{8}Z$/.test(value)) return value
  return new Shown(`${value.slice(0, 10)} ${value.slice(11, 19)} +0000 UTC`)
}

function labelErrors(labels: Readonly<Record<string, string>>): FieldErrors {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...qualifiedNameProblems(key).map((why) => invalid('metadata.labels', key, why)),
    ...labelValueProblems(value).map((why) => invalid('metadata.labels', value, why)),
  ])
}

function annotationErrors(annotations: Readonly<Record<string, string>>): FieldErrors {
  const found = Object.keys(annotations).flatMap((key) =>
    annotationKeyProblems(key).map((why) => invalid('metadata.annotations', key, why)),
  )
  if (annotationBytes(annotations) <= mostAnnotationBytes) return found
  const message = `Too long: must have at most ${mostAnnotationBytes} bytes`
  return [...found, { path: 'metadata.annotations', reason: 'FieldValueTooLong', message }]
}

/** How many owners the errors about controllers show together: each of them shows all owners of the object. */
const mostOwnersShown = 1000

/** An object has any number of owners, of which one at most is its controller. */
function ownerErrors(owners: readonly OwnerReferenceLike[]): FieldErrors {
  const path = 'metadata.ownerReferences'
  const found = owners.flatMap((owner) => ownerProblems(owner, path))
  const controllers = owners.filter(({ controller }) => controller)
  const [first, ...others] = controllers.map(({ kind, name }) => `${kind}/${name}`)
  const why = (other: string): string =>
    'Only one reference can have Controller set to true. ' +
    `Found "true" in references for ${first} and ${other}`
  const told = others.slice(0, Math.max(1, Math.floor(mostOwnersShown / owners.length)))
  return [...found, ...told.map((other) => invalid(path, owners, why(other)))]
}

/**
 * An owner is named completely: the garbage collector looks it up by all four fields. Events own nothing. Errors stand at the
 * list, each owner has its own.
 */
function ownerProblems(owner: OwnerReferenceLike, path: string): FieldErrors {
  const fields = ['apiVersion', 'kind', 'name', 'uid'] as const
  const empty = fields.filter((field) =>
    field === 'apiVersion' ? !/^[^/]*\/?[^/]+$/.test(owner.apiVersion) : !owner[field],
  )
  const found = empty.map((field) => {
    const what = field === 'apiVersion' ? 'version' : field
    const why = `${what} must not be empty`
    return invalid(`${path}.${field}`, owner[field] ?? '', why)
  })
  if (owner.apiVersion !== 'v1' || owner.kind !== 'Event') return found
  return [
    ...found,
    invalid(path, 'v1, Kind=Event', '/v1, Kind=Event is disallowed from being an owner'),
  ]
}

/** Finalizers are qualified names. The two that stand for deletion policies exclude each other. */
function finalizerErrors(finalizers: readonly string[]): FieldErrors {
  const path = 'metadata.finalizers'
  const found = finalizers.flatMap((one) =>
    qualifiedNameProblems(one).map((why) => invalid(path, one, why)),
  )
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    const why = 'finalizer orphan and foregroundDeletion cannot be both set'
    found.push(invalid(path, finalizers, why))
  }
  return found
}

/** An object that is being deleted only loses finalizers. */
function newFinalizerErrors({ finalizers }: Metadata, old: Metadata): FieldErrors {
  if (!old.deletionTimestamp || !finalizers?.length) return []
  const known = new Set(old.finalizers)
  const added = finalizers.filter((one) => !known.has(one))
  if (added.length === 0) return []
  const message =
    'Forbidden: no new finalizers can be added if the object is being deleted, ' +
    `found new finalizers ${goValue(added)}`
  return [fieldError('metadata.finalizers', 'FieldValueForbidden', message)]
}

/** Finalizers of the platform's own kinds have a domain, or are known; without a brand any will do. */
function ownerlessErrors(finalizers: readonly string[], brand: string | undefined): FieldErrors {
  if (brand === undefined) return []
  return finalizers.flatMap((one, index) =>
    ownerlessProblems(one, brand).map((why) => invalid(`metadata.finalizers[${index}]`, one, why)),
  )
}

function invalid(path: string, value: unknown, why: string): FieldError {
  return fieldError(path, 'FieldValueInvalid', `Invalid value: ${goValue(value)}: ${why}`)
}

function fieldError(path: string, reason: CauseReason, message: string): FieldError {
  return { path, reason, message }
}

/**
 * Warnings about finalizers without a domain that are new in a custom object, where two writers could use them for different
 * things; other kinds refuse them. `brand` is the platform's.
 */
export function finalizerWarnings(
  metadata: Metadata,
  old: Metadata | undefined,
  brand: string,
): readonly string[] {
  const known = new Set(['foregroundDeletion', 'orphan', brand, ...(old?.finalizers ?? [])])
  return [...new Set(metadata.finalizers)]
    .filter((one) => !one.includes('/') && !known.has(one))
    .sort()
    .map(
      (one) =>
        `metadata.finalizers: ${quoted(one)}: prefer a domain-qualified finalizer name to avoid ` +
        'accidental conflicts with other finalizer writers',
    )
}
