import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { Scheme, VersionRemoval } from '../../kernel/descriptors/scheme.ts'
import { apiVersionOf } from '../../kernel/meta/object.ts'

/** What a release makes of a version of a kind. */
export type VersionState =
  | { readonly is: 'removed' | 'deprecated'; readonly message: string }
  | { readonly is: 'served' }

/** The version of a kind in a release such as `1.32`, by the table of removals of its scheme. */
export function versionState(
  { removals = [], platform }: Pick<Scheme, 'removals' | 'platform'>,
  release: string | undefined,
  apiVersion: string,
  kind: string,
): VersionState {
  const row = removalOf(removals, apiVersion, kind)
  if (row === undefined) return { is: 'served' }
  const now = minorOf(release ?? platform.release)
  if (minorOf(row.removed) <= now) {
    return { is: 'removed', message: goneMessage(row, apiVersion, kind) }
  }
  if (row.deprecated === undefined || minorOf(row.deprecated) > now) return { is: 'served' }
  const message = `${apiVersion} ${kind} is deprecated since ${row.deprecated} and gone in ${row.removed}${insteadOf(row, kind)}`
  return { is: 'deprecated', message }
}

/** Since when a version is gone, and what is in its place. */
export function goneMessage(row: VersionRemoval, apiVersion: string, kind: string): string {
  return `${apiVersion} ${kind} is gone since ${row.removed}${insteadOf(row, kind)}`
}

/** The row of a version that goes or is gone. */
export function removalOf(
  removals: readonly VersionRemoval[],
  apiVersion: string,
  kind: string,
): VersionRemoval | undefined {
  return removals.find(
    (one) =>
      groupVersion(one) === apiVersion &&
      Object.values(one.resources).some((each) => each === kind),
  )
}

function groupVersion({ group, version }: VersionRemoval): string {
  return group === '' ? version : `${group}/${version}`
}

/** What to use in place of a version. */
function insteadOf({ replacement, since, instead }: VersionRemoval, kind: string): string {
  if (replacement === undefined) return instead === undefined ? '' : `; use ${instead}`
  return `; use ${replacement} ${kind}${since === undefined ? '' : `, which is there since ${since}`}`
}

/** Why a release does not have a kind in its version yet; undefined for one that has it. */
export function newerMessage(
  { removals = [] }: Pick<Scheme, 'removals'>,
  release: string,
  { kind, since, ...named }: Pick<AnyKind, 'group' | 'version' | 'kind' | 'since'>,
): string | undefined {
  if (since === undefined || !isNewer(since, release)) return undefined
  const apiVersion = apiVersionOf(named)
  const older = removals.filter(
    ({ replacement, resources }) =>
      replacement === apiVersion && Object.values(resources).includes(kind),
  )
  const names = older.map(groupVersion).join(', ')
  const hint = names === '' ? '' : `; older versions are ${names}`
  return `${apiVersion} ${kind} is there since ${since}, not in ${release}${hint}`
}

/** True if what came in a release is not there in another. */
export function isNewer(since: string, release: string): boolean {
  return minorOf(since) > minorOf(release)
}

/** The number behind the dot of a release: 29 of `1.29` and of `v1.29.3`. */
function minorOf(release: string): number {
  return Number(/^v?1\.(\d{1,6})/.exec(release)?.[1] ?? Number.NaN)
}

/** True for a text that names a release. */
export function isRelease(text: string): boolean {
  return /^v?1\.\d{1,6}(\.\d{1,6})?$/.test(text)
}
