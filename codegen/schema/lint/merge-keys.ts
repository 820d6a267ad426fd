/** Lint: the keys by which lists merge. */
import { didYouMean } from '../../../runtime/kernel/values/spelling.ts'
import type { Built } from '../build/build.ts'
import type { Report } from '../finding.ts'
import type { Field, StructType } from '../named-type.ts'
import { type LintRule, typesById } from './lint-rule.ts'

/**
 * The keys by which lists merge are scalar fields of their items; lists that need keys have some, and others have none.
 */
export const checkMergeKeys: LintRule = (built, report) => {
  for (const type of built.api.types) {
    if (type.is !== 'struct') continue
    for (const field of type.fields) checkField(field, itemOf(field, built), report)
  }
}

function checkField(field: Field, item: StructType | undefined, report: Report): void {
  const { at, name, list, keys, patchKey, patch } = field
  if (list === 'map' && (keys ?? []).length === 0) {
    report(at, 'missing-map-keys', `"${name}" is a map list, so it needs "x-orch-list-map-keys"`)
  }
  if (list !== 'map' && keys !== undefined) {
    report(at, 'stray-map-keys', `"${name}" has map keys but is not a map list`)
  }
  if (list !== 'map' && list !== 'set' && field.duplicates) {
    report(at, 'stray-duplicates', `"${name}" accepts duplicates but is no map list and no set`)
  }
  if (patchKey !== undefined && patch?.includes('merge') !== true) {
    report(at, 'stray-patch-key', `"${name}" has a patch merge key but does not merge`)
  }
  const named = [...(keys ?? []), ...(patchKey === undefined ? [] : [patchKey])]
  for (const key of new Set(named)) checkKey(field, key, item, report)
  for (const key of list === 'map' ? (keys ?? []) : []) checkPresence(field, key, item, report)
}

/** Items without a key could not be distinguished: it is required, has a default, or its zero value is a key. */
function checkPresence(
  { at, name }: Field,
  key: string,
  item: StructType | undefined,
  report: Report,
): void {
  const found = item?.fields.find((each) => each.name === key)
  if (found === undefined || item === undefined || !isScalar(found)) return
  if (found.required || found.default !== undefined || found.zero !== 'tracked') return
  const message = `"${key}" of "${item.id}" may be absent, so it cannot tell the items of "${name}" apart`
  report(at, 'optional-key', `${message}; require it, or give it a default`)
}

function checkKey(
  { at, name }: Field,
  key: string,
  item: StructType | undefined,
  report: Report,
): void {
  if (item === undefined) {
    report(at, 'unknown-key', `the items of "${name}" are no structs, so they have no key "${key}"`)
    return
  }
  const names = item.fields.map((each) => each.name)
  const found = item.fields.find((each) => each.name === key)
  if (found === undefined) {
    report(at, 'unknown-key', `"${key}" is not a field of "${item.id}"${didYouMean(key, names)}`)
  } else if (!isScalar(found)) {
    report(at, 'unknown-key', `"${key}" of "${item.id}" is a ${found.type.is}; a key is a scalar`)
  }
}

function isScalar({ type }: Field): boolean {
  return type.is !== 'list' && type.is !== 'map'
}

function itemOf({ type }: Field, built: Built): StructType | undefined {
  if (type.is !== 'list' || type.items.is !== 'ref') return undefined
  const found = typesById(built).get(type.items.to)
  return found?.is === 'struct' ? found : undefined
}
