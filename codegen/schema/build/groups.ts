/** The served groups: what `groups.yaml` says of them, and what follows from their kinds. */
import type { Report } from '../finding.ts'
import type { GroupFacts, KindFacts } from '../ir.ts'
import { entries, get, items, plain, type YamlNode } from '../yaml/node.ts'
import { checkShape } from './mapping-shape.ts'

/**
 * The priority of a group that `groups.yaml` does not list; custom resources have the same.
 * Higher values come first.
 */
const defaultPriority = 1000

/**
 * The groups of the kinds that this tree serves, by descending priority and then by name. Versions that the file does
 * not list come after those that it does, the more stable first.
 */
export function buildGroups(
  listed: readonly ListedGroup[],
  kinds: readonly KindFacts[],
): readonly GroupFacts[] {
  const served = new Map<string, Set<string>>()
  for (const { group, version, external } of kinds) {
    if (!external) served.set(group, (served.get(group) ?? new Set()).add(version))
  }
  return [...served]
    .map(([group, versions]) => {
      const facts = listed.find((each) => each.group === group)
      const known = facts?.versions.filter((version) => versions.has(version)) ?? []
      const others = [...versions].filter((version) => !known.includes(version)).sort(byStability)
      return {
        group,
        versions: [...known, ...others],
        priority: facts?.priority ?? defaultPriority,
        off: facts?.off?.filter((version) => versions.has(version)) ?? [],
        ...(facts?.ranks && { ranks: inOrder(facts.ranks) }),
        ...(facts?.at && { at: facts.at }),
      }
    })
    .sort((a, b) => b.priority - a.priority || (a.group < b.group ? -1 : 1))
}

/** Ranks by version: the order of keys in the file must not show in the output. */
function inOrder(ranks: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(ranks).sort(([a], [b]) => byStability(a, b)))
}

/** `v2` before `v1` before `v1beta2` before `v1beta1` before `v1alpha1`. */
function byStability(a: string, b: string): number {
  const [rankA, rankB] = [rank(a), rank(b)]
  const index = rankA.findIndex((each, i) => each !== rankB[i])
  return index < 0 ? (a < b ? -1 : 1) : rankB[index]! - rankA[index]!
}

/**
 * Stage, major and minor number of a version: what `byStability` compares.
 * A name of another form sorts behind all versions.
 */
function rank(version: string): readonly number[] {
  const found = /^v([0-9]+)(?:(alpha|beta)([0-9]+))?$/.exec(version)
  if (found === null) return [-1, 0, 0]
  const stage = found[2] === undefined ? 2 : found[2] === 'beta' ? 1 : 0
  return [stage, Number(found[1]), Number(found[3] ?? 0)]
}

/** The range is closed: 1 and 1000 are ranks. */
function checkRank(node: YamlNode, version: string, report: Report): void {
  const rank = node.is === 'scalar' ? node.value : undefined
  if (typeof rank === 'number' && Number.isInteger(rank) && rank >= 1 && rank <= 1000) return
  report(node.at, 'wrong-value', `the rank of "${version}" must be a whole number from 1 to 1000`)
}

/** A group as `groups.yaml` lists it. */
export type ListedGroup = Omit<GroupFacts, 'off'> & Partial<Pick<GroupFacts, 'off'>>

/** The groups that `groups.yaml` lists. */
export function readGroups(node: YamlNode | undefined, report: Report): readonly ListedGroup[] {
  if (node === undefined || !checkShape(node, 'a group file', { groups: 'list!' }, report))
    return []
  const shape = {
    group: 'string!',
    priority: 'integer!',
    versions: 'strings!',
    off: 'strings',
    ranks: 'mapping',
  } as const
  return items(get(node, 'groups'))
    .filter((each) => checkShape(each, 'a group', shape, report))
    .map((each) => {
      for (const { key, value } of entries(get(each, 'ranks'))) checkRank(value, key, report)
      return { ...(plain(each) as ListedGroup), at: each.at }
    })
}
