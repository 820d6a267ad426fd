import type { ReplicaSet } from '../../../../generated/apis/apps/v1/replica-set.ts'
import type { Platform } from '../../../kernel/descriptors/platform.ts'

/** The keys of annotations that tell of revisions and sizes. */
export interface RevisionKeys {
  readonly revision: string
  /** Where public clients look for the revision; undefined where that is the same. */
  readonly published: string | undefined
  readonly history: string
  readonly desired: string
  readonly max: string
  /** Those of these that a deployment and its sets do not share. */
  readonly own: ReadonlySet<string>
}

type Annotations = Readonly<Record<string, string>>

/** The most characters of the revisions that a set had before. */
const longestHistory = 2000

/** How the key of what a client applied last ends. */
const appliedKey = '/last-applied-configuration'

/** The revision that a deployment is asked to go back to, by clients of old. */
export const rollbackKey = 'deprecated.deployment.rollback.to'

/** The keys by the names of a platform. */
export function revisionKeys({
  domain,
  publicDomain = domain,
}: Pick<Platform, 'domain' | 'publicDomain'>): RevisionKeys {
  const key = (name: string) => `deployment.${domain}/${name}`
  const [revision, history] = [key('revision'), key('revision-history')]
  const [desired, max] = [key('desired-replicas'), key('max-replicas')]
  const published = publicDomain === domain ? undefined : `deployment.${publicDomain}/revision`
  const own = new Set([
    revision,
    history,
    desired,
    max,
    rollbackKey,
    ...(published ? [published] : []),
  ])
  return { revision, published, history, desired, max, own }
}

/** The annotations that a deployment and its sets share. */
export function sharedAnnotations(
  all: Annotations | undefined,
  { own }: RevisionKeys,
): Annotations {
  const shared = Object.entries(all ?? {}).filter(
    ([key]) => !own.has(key) && !key.endsWith(appliedKey),
  )
  return Object.fromEntries(shared)
}

/** The revision of a set: 0 for one that has none, undefined for text that is no number. */
export function revisionOf(
  { metadata }: Pick<ReplicaSet, 'metadata'>,
  { revision }: RevisionKeys,
): number | undefined {
  return numberIn(metadata.annotations?.[revision] ?? '0')
}

/** The revision that comes after those of old sets. */
export function nextRevision(
  old: readonly { readonly object: Pick<ReplicaSet, 'metadata'> }[],
  keys: RevisionKeys,
): number {
  return 1 + Math.max(0, ...old.map(({ object }) => revisionOf(object, keys) ?? 0))
}

/** A whole number in an annotation. */
export function numberIn(text: string | undefined): number | undefined {
  return text !== undefined && /^[+-]?[0-9]{1,15}$/.test(text) ? Number(text) : undefined
}

/** The annotations of a set with those of its deployment, and a revision that never goes back. */
export function withRevision(
  before: Annotations,
  fromDeployment: Annotations | undefined,
  revision: number,
  keys: RevisionKeys,
): Annotations {
  const old = before[keys.revision] ?? ''
  const last = old === '' ? 0 : numberIn(old)
  if (last === undefined) return before
  const next = { ...before, ...sharedAnnotations(fromDeployment, keys) }
  if (last >= revision) return toldRevision(next, old, keys)
  const history =
    keys.revision in before ? { [keys.history]: withPast(before[keys.history] ?? '', old) } : {}
  return toldRevision({ ...next, ...history }, `${revision}`, keys)
}

/** The annotations of a deployment whose newest set has these. What a client that knows other names took over from a set goes. */
export function annotationsOfDeployment(
  before: Annotations,
  newest: Annotations,
  keys: RevisionKeys,
): Annotations {
  const revision = newest[keys.revision]
  if (revision === undefined) return before
  const { [keys.history]: _history, [keys.desired]: _desired, [keys.max]: _max, ...others } = before
  return toldRevision(keys.published === undefined ? before : others, revision, keys)
}

/** The annotations of a set whose revision stands wherever it is looked for. */
export function publishedRevision(annotations: Annotations, keys: RevisionKeys): Annotations {
  const revision = annotations[keys.revision]
  return revision === undefined ? annotations : toldRevision(annotations, revision, keys)
}

/** Annotations with a revision, under each name by which it is looked for. */
function toldRevision(
  annotations: Annotations,
  revision: string,
  { revision: key, published }: RevisionKeys,
): Annotations {
  return {
    ...annotations,
    [key]: revision,
    ...(published !== undefined && { [published]: revision }),
  }
}

/** The revisions that a set had, with one more: the oldest go where there are too many. */
function withPast(history: string, revision: string): string {
  const past = history === '' ? [] : history.split(',')
  let length = history.length + revision.length + 1
  let start = 0
  for (; length > longestHistory && start < past.length; start++) length -= past[start]!.length + 1
  return length > longestHistory ? history : [...past.slice(start), revision].join(',')
}
