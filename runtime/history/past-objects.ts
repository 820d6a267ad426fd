/** Objects as they were at a revision. */
import type { Key, Resource } from '../client/client.ts'
import { isStatus, StatusError } from '../kernel/errors/status-error.ts'
import type { ApiObject, Stored } from '../kernel/meta/object.ts'

/**
 * One object as of a revision; undefined if it was not there.
 *
 * @throws StatusError `Expired` if the server has compacted that revision, `BadRequest` for what is no revision.
 */
export async function objectAt<T extends ApiObject>(
  resource: Resource<T>,
  key: Key,
  revision: string,
  signal?: AbortSignal,
): Promise<Stored<T> | undefined> {
  const { items } = await listAt(resource, key, revision, signal)
  return items[0]
}

/**
 * The key with the namespace that it leaves out.
 *
 * @throws StatusError `BadRequest` for an object that is gone, and whose namespace therefore has to be named.
 */
export async function wholeKey<T extends ApiObject>(
  resource: Resource<T>,
  key: Key,
  signal?: AbortSignal,
): Promise<Key> {
  if (key.namespace !== undefined || resource.kind.scope === 'Cluster') return key
  const { namespace } = ((await resource.find(key, signal))?.metadata ?? {}) as Partial<Key>
  if (namespace !== undefined) return { ...key, namespace }
  const what = `${resource.kind.kind} "${key.name}"`
  throw new StatusError(
    'BadRequest',
    `${what} is not there: name its namespace to find its history`,
  )
}

/** The latest revision of the server, and the object as of it. */
export async function latestOf<T extends ApiObject>(
  resource: Resource<T>,
  key: Key,
  signal?: AbortSignal,
): Promise<{ readonly object: Stored<T> | undefined; readonly revision: string }> {
  const { items, resourceVersion } = await listAt(resource, key, undefined, signal)
  return { object: items[0], revision: resourceVersion }
}

/**
 * The oldest revision, not after `known`, that the server still reads. `known` is one that it does.
 */
export async function oldestKept<T extends ApiObject>(
  resource: Resource<T>,
  key: Key,
  known: string,
  signal?: AbortSignal,
): Promise<string> {
  const reads = async (revision: bigint): Promise<boolean> =>
    (await keptAt(() => listAt(resource, key, String(revision), signal))) !== undefined
  let good = numberOf(known)
  let step = 1n
  while (good - step > 0n && (await reads(good - step))) {
    good -= step
    step *= 2n
  }
  let bad = good - step > 0n ? good - step : 0n
  while (good - bad > 1n) {
    const middle = (good + bad) / 2n
    if (await reads(middle)) good = middle
    else bad = middle
  }
  return String(good)
}

/** What is read of the past; undefined if it was compacted. */
export async function keptAt<R>(read: () => Promise<R>): Promise<R | undefined> {
  try {
    return await read()
  } catch (error) {
    if (isStatus(error, 'Expired') || isStatus(error, 'Gone')) return undefined
    throw error
  }
}

/** The revision before another one. */
export function before(revision: string): string {
  return String(numberOf(revision) - 1n)
}

/** A revision as a number. @throws StatusError `BadRequest` for a server that does not count. */
export function numberOf(revision: string): bigint {
  if (/^\d{1,20}$/.test(revision)) return BigInt(revision)
  throw new StatusError(
    'BadRequest',
    `${JSON.stringify(revision)} is no revision: a revision is a number, as in metadata.resourceVersion`,
  )
}

function listAt<T extends ApiObject>(
  resource: Resource<T>,
  { name, namespace }: Key,
  at: string | undefined,
  signal: AbortSignal | undefined,
) {
  if (at !== undefined) numberOf(at)
  const collection = namespace === undefined ? resource : resource.in(namespace)
  const selection = { fieldSelector: `metadata.name=${name}`, ...(at !== undefined && { at }) }
  return collection.listAll(selection, signal)
}
