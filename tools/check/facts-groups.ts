/** Compares groups, feature gates and gated fields with a facts file. */
import type { Api, FeatureFacts } from '../../codegen/schema/ir.ts'
import type { Facts } from './facts-file.ts'

/** What differs between the groups of a scheme and those of a facts file: order, versions, what is on. */
export function groupDifferences({ groups }: Api, { groups: facts }: Facts): readonly string[] {
  const wanted = [...facts].sort((a, b) => a.discoveryOrder - b.discoveryOrder)
  const ours = groups.map(({ group }) => group)
  const order = wanted.map(({ group }) => group)
  return [
    ...(ours.join() === order.join()
      ? []
      : [`groups: are ${ours.join()}, should be ${order.join()}`]),
    ...wanted.flatMap((fact) => {
      const found = groups.find(({ group }) => group === fact.group)
      if (found === undefined) return [`${fact.group}: there is no such group`]
      const versions = fact.versions.map(({ version }) => version).join()
      const off = fact.versions.filter(({ servedByDefault }) => !servedByDefault)
      return [
        ...differs(fact.group, 'versions', found.versions.join(), versions),
        ...differs(fact.group, 'preferred', found.versions[0], fact.preferred),
        ...differs(fact.group, 'off', found.off.join(), off.map(({ version }) => version).join()),
        ...(fact.groupPriorityMinimum === undefined
          ? []
          : differs(fact.group, 'priority', found.priority, fact.groupPriorityMinimum)),
      ]
    }),
  ]
}

/** What differs between the gates of a scheme, at the platform's release, and those of a facts file. */
export function gateDifferences({ features, platform }: Api, facts: Facts): readonly string[] {
  const ours = new Map(features.map((feature) => [feature.gate, feature]))
  const extra = [...ours.keys()].filter((gate) => !Object.hasOwn(facts.featureGates, gate))
  return [
    ...extra.map((gate) => `${gate}: extra gate`),
    ...Object.entries(facts.featureGates).flatMap(([gate, fact]) => {
      const feature = ours.get(gate)
      if (feature === undefined) return [`${gate}: there is no such gate`]
      const state = stateAt(feature, platform.release)
      return [
        ...differs(gate, 'stage', state?.stage, fact.stage),
        ...differs(gate, 'default', state?.default, fact.default),
        ...differs(gate, 'lock', state?.locked === true, fact.locked),
      ]
    }),
  ]
}

/** What a gate is at a release: the last of its entries up to that one. */
function stateAt({ releases }: FeatureFacts, release: string) {
  const minor = (text: string) => Number(text.split('.')[1])
  return releases.filter(({ since }) => minor(since) <= minor(release)).at(-1)
}

/** A line for a difference, nothing where both are the same. */
function differs(at: string, what: string, ours: unknown, theirs: unknown): readonly string[] {
  return ours === theirs ? [] : [`${at}: ${what} is ${ours}, should be ${theirs}`]
}
