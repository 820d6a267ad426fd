/** Kinds whose objects are computed at each read and never stored, such as ComponentStatus. They have no versions. */

import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import { apiVersionOf } from '../../kernel/meta/object.ts'
import type { Json } from '../../kernel/values/json.ts'
import { readObject } from '../../serializer/serializer.ts'
import type { RegistryContext } from '../contract/context.ts'
import type { Item, ListOptions, ListResult, ObjectTarget, Target } from '../contract/contract.ts'
import { notFound } from '../contract/errors.ts'
import { itemOfObject } from '../storage/item.ts'
import { listSelection } from './read-options.ts'

/** What there is of a kind just now, each object with its name and without apiVersion and kind. */
export type ListComputed = () => Promise<readonly ComputedObject[]>

/** A computed object, before its reader has put it into canonical form. */
export interface ComputedObject {
  readonly metadata: { readonly name: string }
  readonly [field: string]: Json | undefined
}

/** How the objects of kinds are computed, by the behaviour that their schemas need. */
export type ComputedKinds = Readonly<Record<string, ListComputed>>

/** How the objects of a kind are computed; undefined for one that is stored. */
export function computedBy(
  computed: ComputedKinds | undefined,
  { capabilities: needs }: AnyKind,
): ListComputed | undefined {
  if (needs === undefined || computed === undefined) return undefined
  return Object.hasOwn(computed, needs) ? computed[needs] : undefined
}

/** One object as it is now. It has no version. */
export async function getComputed(
  { kind, name }: ObjectTarget,
  compute: ListComputed,
): Promise<Item> {
  const found = (await compute()).find(({ metadata }) => metadata.name === name)
  if (found === undefined) throw notFound(kind, name)
  return computedItem(kind, found)
}

/** All of them that the selectors want, as they are now: there are few, so that a limit changes nothing. */
export async function listComputed(
  context: RegistryContext,
  target: Target,
  options: ListOptions,
  compute: ListComputed,
): Promise<ListResult> {
  const { matches } = listSelection(context, target, options)
  const items = (await compute()).map((one) => computedItem(target.kind, one))
  return { items: matches === undefined ? items : items.filter(matches), resourceVersion: '' }
}

function computedItem(kind: AnyKind, fields: ComputedObject): Item {
  const { object } = readObject(kind, {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    ...fields,
  } as Json)
  return itemOfObject(object)
}
