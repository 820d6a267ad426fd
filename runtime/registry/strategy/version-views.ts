/** The versions of a kind in which managers wrote, each as an object of the request's version looks in it. */
import { fromStorageVersion, toStorageVersion } from '../../apis/apis.ts'
import {
  type Managers,
  noFields,
  setOfFields,
  type VersionView,
  type VersionViews,
  within,
  without,
} from '../../apply/apply.ts'
import type { Kind } from '../../kernel/descriptors/kind.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { JsonObject } from '../../kernel/values/json.ts'
import type { RegistryContext, WriteConversions } from '../contract/context.ts'
import type { Target } from '../contract/contract.ts'
import { servedVersion } from '../storage/served-versions.ts'
import { managedViewOf } from './writable-fields.ts'

/** The views of kinds that need no webhook: they are the same for every request. */
const known = new WeakMap<Kind, Map<string, VersionView>>()

/** The served versions of a kind; managers who wrote in any other are forgotten. */
export function versionViews(
  { scheme, conversions }: RegistryContext,
  { kind, subresource = '' }: Target,
): VersionViews {
  const views = (conversions ? undefined : known.get(kind)) ?? new Map<string, VersionView>()
  if (conversions === undefined) known.set(kind, views)
  return (apiVersion) => {
    const version = servedVersion(scheme, kind, apiVersion)
    if (version === undefined) return undefined
    const key = `${apiVersion} ${subresource}`
    const view = views.get(key) ?? versionView(version, kind, subresource, conversions)
    views.set(key, view)
    return view
  }
}

/**
 * Converts ahead the objects that views compare, where a webhook converts them; undefined where nothing has to be waited
 * for.
 *
 * @throws StatusError if the webhook fails.
 */
export function convertAhead(
  { scheme, conversions }: RegistryContext,
  { kind }: Target,
  managers: Managers,
  objects: readonly JsonObject[],
): Promise<void> | undefined {
  if (conversions === undefined) return undefined
  const versions = managers.map(({ apiVersion }) => servedVersion(scheme, kind, apiVersion))
  const others = new Set(versions.filter((one) => one !== undefined && one !== kind))
  if (others.size === 0) return undefined
  return conversions.prepare([...others] as Kind[], objects as never)
}

/** The view of one version: its merge facts, the fields that the request path writes in it, and the conversion to it. */
function versionView(
  version: Kind,
  kind: Kind,
  subresource: string,
  conversions: WriteConversions | undefined,
): VersionView {
  const restrict = writtenFieldsOf(version, subresource)
  if (version === kind) return { merge: kind.merge, restrict, convert: (object) => object }
  const convert = (given: JsonObject) => {
    const object = given as unknown as ApiObject
    const converted =
      conversions?.converted(version, object) ??
      fromStorageVersion(version, toStorageVersion(kind, object))
    return converted as unknown as JsonObject
  }
  return { merge: version.merge, restrict, convert }
}

/** Restricts a set of fields to those that the path of the request writes in this version (supplement A-16). */
function writtenFieldsOf(kind: Kind, subresource: string): VersionView['restrict'] {
  const writable = managedViewOf(kind, subresource === '' ? undefined : subresource)
  const set = (paths: readonly string[]) =>
    setOfFields(paths.map((path) => path.replace(/^\./, '')))
  if ('writes' in writable) {
    const writes = set(writable.writes)
    return (fields) => within(fields, writes)
  }
  const keeps = writable.keeps.length === 0 ? noFields : set(writable.keeps)
  return (fields) => without(fields, keeps)
}
