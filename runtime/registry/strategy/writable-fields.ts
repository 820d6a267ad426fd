import { annotatedFields, withAnnotationOf } from '../../kernel/descriptors/conversion.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import { hasSubresource } from '../../kernel/descriptors/kind.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'

/**
 * The fields of an object that a request path may change. `writes`: only these come from the request. `keeps`: all but these
 * do; they stay as they are stored.
 */
export type WritableFields =
  | { readonly writes: readonly string[] }
  | { readonly keeps: readonly string[] }

/** The view of a kind's own path, or of one of its subresources: a subresource without facts is the field of its name. */
export function writableFieldsOf(kind: AnyKind, subresource?: string): WritableFields {
  const fact = kind.subresources.find(({ name }) => name === subresource)
  if (fact?.writes !== undefined) return { writes: fact.writes }
  if (fact?.scale !== undefined) return { writes: [fact.scale.specReplicasPath] }
  if (fact?.action !== undefined) return { keeps: [] }
  const keeps = kind.applyReset[subresource ?? 'main']
  if (keeps !== undefined) return { keeps }
  if (subresource !== undefined) return { writes: [subresource] }
  return { keeps: hasSubresource(kind, 'status') ? ['status'] : [] }
}

/**
 * The fields that a request path manages. A status of a custom kind manages all that it brings but a spec, as in release 1.29,
 * though nothing but the status is written.
 */
export function managedViewOf(kind: AnyKind, subresource?: string): WritableFields {
  if (kind.customResource !== undefined && subresource === 'status') return { keeps: ['spec'] }
  return writableFieldsOf(kind, subresource)
}

/** The object that a request leaves: what its view does not reach is as it is stored. */
export function copyWritableFields(
  view: WritableFields,
  given: ApiObject,
  stored: ApiObject,
): ApiObject {
  const [base, source, paths] =
    'writes' in view ? [stored, given, view.writes] : [given, stored, view.keeps]
  return paths.reduce<ApiObject>((object, path) => withField(object, source, path.split('.')), base)
}

/**
 * The object with the annotations in which its version keeps fields of the stored one as they are stored, where the view does
 * not reach those fields.
 */
export function copyAnnotatedFields(
  { storageVersion: storage }: AnyKind,
  view: WritableFields,
  given: ApiObject,
  stored: ApiObject,
): ApiObject {
  if (storage === undefined) return given
  return annotatedFields(storage.conversion, storage.side)
    .filter(({ path }) => !isWritable(view, path.join('.')))
    .reduce((object, { key }) => withAnnotationOf(object, stored, key), given)
}

/** True if a field error at `path` is about something that the request writes. */
export function isWritable(view: WritableFields, path: string): boolean {
  const inside = (field: string) =>
    path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`)
  return 'writes' in view ? view.writes.some(inside) : !view.keeps.some(inside)
}

type Fields = Readonly<Record<string, unknown>>

/** The object with one field as another object has it, or without the field if that one has none. */
function withField<T extends object>(object: T, source: object, path: readonly string[]): T {
  const [name = '', ...rest] = path
  const theirs = own(source, name)
  if (rest.length === 0) return changed(object, name, theirs)
  const ours = own(object, name)
  if (!isRecord(theirs) && !isRecord(ours)) return object
  const inner = withField(isRecord(ours) ? ours : {}, isRecord(theirs) ? theirs : {}, rest)
  return changed(object, name, inner)
}

function changed<T extends object>(object: T, name: string, value: unknown): T {
  if (value !== undefined) return { ...object, [name]: value }
  const { [name]: _, ...others } = object as Fields
  return others as T
}

function own(object: object, name: string): unknown {
  return Object.hasOwn(object, name) ? (object as Fields)[name] : undefined
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
