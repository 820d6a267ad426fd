import type { NamedDraft } from '../../client/client.ts'
import type { Kind } from '../../kernel/descriptors/kind.ts'
import { isStatus, StatusError } from '../../kernel/errors/status-error.ts'
import type { ApiObject, NamedObject, Stored } from '../../kernel/meta/object.ts'
import type { Context } from '../controller/controller.ts'

/** An owned object that others may wait for: see `ensureDependents`. */
export interface Dependent<K extends ApiObject = ApiObject> {
  /** Names it among the dependents of one object. */
  readonly name: string
  readonly kind: Kind<K>
  readonly draft: NamedDraft<K>
  /** Whether it is as far as those that come after it need. Default: as soon as it is there. */
  readonly isReady?: (object: Stored<K>) => boolean
  /** The names of dependents that have to be ready first. */
  readonly after?: readonly string[]
  /** False for one that is not wanted: it is deleted if it is there. Default true. */
  readonly wanted?: boolean
}

/** Where the dependents of an object stand, by their names. */
export interface DependentsReport {
  /** The objects that are there. */
  readonly objects: Readonly<Record<string, Stored<ApiObject>>>
  /** There, and not ready yet. */
  readonly starting: readonly string[]
  /** Not made yet, since others are not ready. */
  readonly waiting: readonly string[]
  /** True if all that is wanted is ready. */
  readonly isReady: boolean
}

/** Declares a dependent, whose draft and condition are of its kind. */
export function dependent<K extends ApiObject>(one: Dependent<K>): Dependent {
  return one as unknown as Dependent
}

/**
 * Makes the dependents of an object be as their drafts say, each when those that it comes after are ready. What has become ready wakes
 * the object, since it owns it; there is nothing to wait for in a run.
 *
 * @throws StatusError `BadRequest` if one comes after a name that there is not, or after itself.
 */
export async function ensureDependents(
  context: Pick<Context<ApiObject>, 'client' | 'ensure' | 'owned'>,
  dependents: readonly Dependent[],
): Promise<DependentsReport> {
  const objects: Record<string, Stored<ApiObject>> = {}
  const [ready, starting, waiting]: [Set<string>, string[], string[]] = [new Set(), [], []]
  for (const one of inOrder(dependents)) {
    const { name, kind, draft, after = [], isReady = () => true, wanted = true } = one
    if (!wanted) {
      await deleteOwned(context, kind, draft)
      ready.add(name)
    } else if (!after.every((other) => ready.has(other))) waiting.push(name)
    else {
      const object = await context.ensure(kind, draft)
      objects[name] = object
      if (isReady(object)) ready.add(name)
      else starting.push(name)
    }
  }
  return { objects, starting, waiting, isReady: ready.size === dependents.length }
}

async function deleteOwned(
  { client, owned }: Pick<Context<ApiObject>, 'client' | 'owned'>,
  kind: Kind,
  { metadata: { name } }: NamedObject,
): Promise<void> {
  const object = owned(kind).find(({ metadata }) => metadata.name === name)
  if (object === undefined || object.metadata.deletionTimestamp !== undefined) return
  try {
    await client.resource(kind).delete(object)
  } catch (error) {
    if (!isStatus(error, 'NotFound')) throw error
  }
}

/** The dependents, each behind those that it comes after. */
function inOrder(dependents: readonly Dependent[]): readonly Dependent[] {
  const byName = new Map(dependents.map((one) => [one.name, one]))
  const placed = new Set<string>()
  const order: Dependent[] = []
  const place = (one: Dependent, path: readonly string[]): void => {
    if (path.includes(one.name)) throw wrong(`${[...path, one.name].join(' after ')} is a circle`)
    if (placed.has(one.name)) return
    for (const name of one.after ?? []) {
      const other = byName.get(name)
      if (other === undefined) throw wrong(`${one.name} comes after ${name}, which there is not`)
      place(other, [...path, one.name])
    }
    placed.add(one.name)
    order.push(one)
  }
  for (const one of dependents) place(one, [])
  return order
}

function wrong(why: string): StatusError {
  return new StatusError('BadRequest', `dependents: ${why}`)
}
