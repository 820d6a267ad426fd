/** Which of the served kinds a name means. */
import { type AnyKind, resourceName } from '../kernel/descriptors/kind.ts'
import { StatusError } from '../kernel/errors/status-error.ts'
import { apiVersionOf } from '../kernel/meta/object.ts'
import { didYouMean } from '../kernel/values/spelling.ts'
import { type GroupSuffixes, otherGroupName } from './platform-names.ts'

/**
 * Names a kind, as people type it or as objects say it:
 *
 *   - `widgets`, `widget`, `Widget`, `wd`: its plural, singular, kind or a short name, of the first group that has it;
 *   - `widgets.example.com`, `widgets.v1.example.com`: of that group, and of that version;
 *   - `{ apiVersion: 'example.com/v1', kind: 'Widget' }`: what an object or an owner reference says;
 *   - `{ group: 'example.com', kind: 'Widget' }`, `{ group: '', version: 'v1', resource: 'pods' }`: parts, of which each may be left out.
 *
 * Without a version the one that the server prefers is meant.
 */
export type KindReference =
  | string
  | { readonly apiVersion: string; readonly kind: string }
  | {
      readonly group?: string
      readonly version?: string
      readonly kind?: string
      /** The plural. */
      readonly resource?: string
    }

/** What a reference asks for: every part that is there has to match. */
interface Wanted {
  readonly group?: string | undefined
  readonly version?: string | undefined
  readonly kind?: string | undefined
  readonly resource?: string | undefined
  /** Any of the names of a kind. */
  readonly name?: string | undefined
}

/** The first of the kinds that a reference means; undefined for none. */
export function findKind<K extends AnyKind>(
  kinds: readonly K[],
  reference: KindReference,
  suffixes?: GroupSuffixes,
): K | undefined {
  for (const wanted of readings(reference)) {
    const found =
      kinds.find((kind) => matches(kind, wanted, suffixes)) ??
      kinds.find((kind) => isShortNameOf(kind, wanted, suffixes))
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * The error for a reference that means none of the kinds.
 *
 * @example the server serves no widgets.v2.example.com: there is v1
 */
export function unknownKind(
  kinds: readonly AnyKind[],
  reference: KindReference,
  unanswered: readonly string[],
): StatusError {
  const what = textOf(reference)
  const later =
    unanswered.length === 0 ? '' : `; it could not tell what is in ${unanswered.join(', ')}`
  return new StatusError(
    'NotFound',
    `the server serves no ${what}${hint(kinds, reference)}${later}`,
  )
}

function hint(kinds: readonly AnyKind[], reference: KindReference): string {
  const all = readings(reference)
  const anyVersion = all.map((wanted) => ({ ...wanted, version: undefined }))
  const others = kinds.filter((kind) => anyVersion.some((wanted) => matches(kind, wanted)))
  if (others.length > 0) return `: there is ${others.map(apiVersionOf).join(', ')}`
  const anyGroup = anyVersion.map((wanted) => ({ ...wanted, group: undefined }))
  const elsewhere = kinds.filter((kind) => anyGroup.some((wanted) => matches(kind, wanted)))
  if (elsewhere.length > 0) {
    return `: there is ${[...new Set(elsewhere.map(resourceName))].join(', ')}`
  }
  const { name, kind, resource, group } = all[0] as Wanted
  if (name !== undefined) {
    return group === undefined
      ? didYouMean(name, kinds.flatMap(name === name.toLowerCase() ? pluralAndSingular : kindOnly))
      : didYouMean(`${name}.${group}`, kinds.map(resourceName))
  }
  if (kind !== undefined)
    return didYouMean(
      kind,
      kinds.map((each) => each.kind),
    )
  return resource === undefined
    ? ''
    : didYouMean(
        resource,
        kinds.map(({ plural }) => plural),
      )
}

/** `widgets.v1.example.com` is of version v1, or of a group that begins with v1: the former is tried first. */
function readings(reference: KindReference): readonly Wanted[] {
  if (typeof reference !== 'string') {
    if (!('apiVersion' in reference)) return [reference]
    const [group, version] = splitVersion(reference.apiVersion)
    return [{ group, version, kind: reference.kind }]
  }
  const [name, first, ...rest] = reference.split('.')
  if (first === undefined) return [{ name }]
  const group = [first, ...rest].join('.')
  if (!/^v\d+((alpha|beta)\d+)?$/.test(first)) return [{ name, group }]
  return [
    { name, version: first, group: rest.join('.') },
    { name, group },
  ]
}

function splitVersion(apiVersion: string): readonly [group: string, version: string] {
  const slash = apiVersion.indexOf('/')
  return slash < 0 ? ['', apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)]
}

function matches(of: AnyKind, wanted: Wanted, suffixes?: GroupSuffixes): boolean {
  const { kind, resource, name } = wanted
  return (
    isOfVersion(of, wanted, suffixes) &&
    (kind === undefined || of.kind === kind) &&
    (resource === undefined || of.plural === resource) &&
    (name === undefined ||
      [of.plural, of.singular, of.kind.toLowerCase()].includes(name.toLowerCase()))
  )
}

function isShortNameOf(of: AnyKind, wanted: Wanted, suffixes?: GroupSuffixes): boolean {
  const { name } = wanted
  return name !== undefined && of.shortNames.includes(name) && isOfVersion(of, wanted, suffixes)
}

/** A group of the platform may be asked for by either of its names. */
function isOfVersion(
  of: AnyKind,
  { group, version }: Wanted,
  suffixes: GroupSuffixes | undefined,
): boolean {
  const isGroup =
    group === undefined ||
    of.group === group ||
    (suffixes !== undefined && of.group === otherGroupName(group, suffixes))
  return isGroup && (version === undefined || of.version === version)
}

function textOf(reference: KindReference): string {
  if (typeof reference === 'string') return `"${reference}"`
  if ('apiVersion' in reference) return `${reference.kind} of ${reference.apiVersion}`
  const { group, version, kind, resource } = reference
  const what = kind ?? resource ?? 'kind'
  const of = [group === '' ? 'the core group' : group, version].filter((part) => part !== undefined)
  return of.length === 0 ? what : `${what} of ${of.join('/')}`
}

function pluralAndSingular({ plural, singular, shortNames }: AnyKind): readonly string[] {
  return [plural, singular, ...shortNames]
}

function kindOnly({ kind }: AnyKind): string {
  return kind
}
