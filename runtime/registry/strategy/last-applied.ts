/**
 * The annotation in which the command-line client keeps what it applied on its own side. Server-side applies by that same
 * client take over the fields of the annotation, and keep it up to date (supplement A-18).
 */
import { type FieldSet, lastAppliedFields } from '../../apply/apply.ts'
import type { MergeStrategy } from '../../kernel/descriptors/kind.ts'
import type { Platform } from '../../kernel/descriptors/platform.ts'
import { define } from '../../kernel/values/define-property.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { decodeJson } from '../../serializer/serializer.ts'

/** All annotations of an object together may have so many bytes; a longer text is not kept. */
const maxAnnotationBytes = 262_144

/** The name of the annotation. */
export function lastAppliedKey({ client, domain }: Platform): string {
  return `${client}.${domain}/last-applied-configuration`
}

/** What the live object keeps in the annotation, if it does. */
export function lastApplied(live: JsonObject, platform: Platform): string | undefined {
  const text = annotationsOf(live)[lastAppliedKey(platform)]
  return typeof text === 'string' ? text : undefined
}

/** The fields that the live object still has as the annotation has them; undefined if it cannot be read. */
export function fieldsLastApplied(
  live: JsonObject,
  platform: Platform,
  merge: MergeStrategy,
): FieldSet | undefined {
  const text = lastApplied(live, platform)
  if (text === undefined) return undefined
  try {
    const { value } = decodeJson(text)
    return isObject(value) ? lastAppliedFields(value, live, merge) : undefined
  } catch {
    return undefined
  }
}

/** The object with `config` as its annotation; without the annotation if that is too long to keep. */
export function withLastApplied(
  object: JsonObject,
  config: JsonObject,
  platform: Platform,
): JsonObject {
  const key = lastAppliedKey(platform)
  const { [key]: _, ...others } = annotationsOf(object)
  const text = `${JSON.stringify(ordered(withoutAnnotation(config, key)))}\n`
  const size = [text, ...Object.entries(others).flat()].join('').length + key.length
  const annotations = size > maxAnnotationBytes ? others : { ...others, [key]: text }
  return { ...object, metadata: { ...metadataOf(object), annotations } }
}

/** A configuration that says no annotations is kept without them. */
function withoutAnnotation(config: JsonObject, key: string): JsonObject {
  if (!isObject(metadataOf(config).annotations)) return config
  const { [key]: _, ...annotations } = annotationsOf(config)
  return { ...config, metadata: { ...metadataOf(config), annotations } }
}

function metadataOf(object: JsonObject): JsonObject {
  return isObject(object.metadata) ? object.metadata : {}
}

function annotationsOf(object: JsonObject): JsonObject {
  const { annotations } = metadataOf(object)
  return isObject(annotations) ? annotations : {}
}

/** The value with its properties in order of their names, 64-bit integers as numbers: what the client itself writes. */
function ordered(value: Json): unknown {
  if (Array.isArray(value)) return value.map(ordered)
  if (typeof value === 'bigint') return Number(value)
  if (!isObject(value)) return value
  const result: Record<string, unknown> = {}
  for (const name of Object.keys(value).sort()) {
    const part = value[name]
    if (part !== undefined) define(result, name, ordered(part))
  }
  return result
}
