/** Kinds whose objects are found out at each read and never stored. */
import { readObject } from '../codec/codec.ts'
import type { Json } from '../kernel/json.ts'
import type { AnyKind } from '../kernel/kind.ts'
import { apiVersionOf } from '../kernel/object.ts'
import type { Context } from './context.ts'
import { notFound } from './errors.ts'
import { itemOfObject } from './item.ts'
import { checkListOptions } from './read-options.ts'
import type { Item, Listed, ListOptions, Target } from './registry.ts'
import { selectionOf } from './selection.ts'

/** What there is of a kind just now, each object with its name and without apiVersion and kind. */
export type Compute = () => Promise<readonly ComputedObject[]>

export interface ComputedObject {
  readonly metadata: { readonly name: string }
  readonly [field: string]: Json | undefined
}

/** How the objects of kinds are computed, by the behaviour that their schemas need. */
export type Computed = Readonly<Record<string, Compute>>

/** How the objects of a kind are computed; undefined for one that is stored. */
export function computeOf(computed: Computed | undefined, { needs }: AnyKind): Compute | undefined {
  if (needs === undefined || computed === undefined) return undefined
  return Object.hasOwn(computed, needs) ? computed[needs] : undefined
}

/** One object as it is now. It has no version. */
export async function getComputed({ kind, name = '' }: Target, compute: Compute): Promise<Item> {
  const found = (await compute()).find(({ metadata }) => metadata.name === name)
  if (found === undefined) throw notFound(kind, name)
  return itemOf(kind, found)
}

/** All of them that the selectors want, as they are now: there are few, so that a limit changes nothing. */
export async function listComputed(
  context: Context,
  target: Target,
  options: ListOptions,
  compute: Compute,
): Promise<Listed> {
  checkListOptions(context, options)
  const { matches } = selectionOf(target, options)
  const items = (await compute()).map((one) => itemOf(target.kind, one))
  return { items: matches === undefined ? items : items.filter(matches), resourceVersion: '' }
}

function itemOf(kind: AnyKind, fields: ComputedObject): Item {
  const { object } = readObject(kind, {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    ...fields,
  } as Json)
  return itemOfObject(object)
}
