/** Looks things up in the two trees: what a group version serves, what `removals.yaml` says of it. */

import type { VersionRemoval } from '../../runtime/kernel/descriptors/scheme.ts'
import { apiVersionOf } from '../../runtime/kernel/meta/object.ts'
import type { Api, GroupFacts, KindFacts, WithPosition } from '../schema/ir.ts'
import type { NamedType } from '../schema/named-type.ts'
import { type Position, wholeFile } from '../schema/position.ts'

/** What a version has: a kind that is served, or one of configuration files. */
export type Resource = Pick<KindFacts, 'group' | 'version' | 'kind' | 'at'>

/** The kinds that a tree serves itself, by `resourceKey`. */
export function servedKinds({ kinds }: Api): ReadonlyMap<string, KindFacts> {
  return new Map(kinds.filter(({ external }) => !external).map((kind) => [resourceKey(kind), kind]))
}

/** `<group>/<version>/<plural>`: what the kinds of the two trees are matched by. */
export function resourceKey({
  group,
  version,
  plural,
}: Pick<KindFacts, 'group' | 'version' | 'plural'>): string {
  return `${group}/${version}/${plural}`
}

/** `apps/v1 Deployment`: how messages name a kind. */
export function resourceName(kind: Pick<KindFacts, 'group' | 'version' | 'kind'>): string {
  return `${apiVersionOf(kind)} ${kind.kind}`
}

/** The row of `removals.yaml` about a resource; undefined if there is none. */
export function removalOf(
  { removals }: Api,
  { group, version, kind }: Pick<Resource, 'group' | 'version' | 'kind'>,
): WithPosition<VersionRemoval> | undefined {
  return removals.find(
    (row) =>
      row.group === group && row.version === version && Object.values(row.resources).includes(kind),
  )
}

/** The row of another tree about the same version and one of the same resources. */
export function matchingRemoval(
  { removals }: Api,
  row: VersionRemoval,
): WithPosition<VersionRemoval> | undefined {
  const plurals = Object.keys(row.resources)
  return removals.find(
    ({ group, version, resources }) =>
      group === row.group &&
      version === row.version &&
      plurals.some((plural) => Object.hasOwn(resources, plural)),
  )
}

/** The facts of a group; undefined if the tree does not serve it. */
export function groupOf({ groups }: Api, name: string): GroupFacts | undefined {
  return groups.find(({ group }) => group === name)
}

/** The named types of a tree by id. */
export function typesOf({ types }: Api): ReadonlyMap<string, NamedType> {
  return new Map(types.map((type) => [type.id, type]))
}

/**
 * Where a tree says something about a version that it does not have: in its row, its group, or at the start of the
 * table.
 */
export function positionOf(api: Api, kind: Omit<Resource, 'at'>): Position {
  return removalOf(api, kind)?.at ?? groupOf(api, kind.group)?.at ?? wholeFile('removals.yaml')
}

/** The items of `before` that are not in `after`. */
export function missing<T>(before: readonly T[], after: readonly T[]): readonly T[] {
  return before.filter((each) => !after.includes(each))
}
