/** Emits the table of feature gates as it is at the platform's release. */
import { compareReleases } from '../../schema/lint/feature-gates.ts'
import type { ModuleArtefact, Specifiers } from '../artefact.ts'
import { constant } from '../code/constant.ts'
import { importsOf } from '../code/imports.ts'
import { code, literal } from '../code/literal.ts'
import type { Model } from '../model/model.ts'

/**
 * The table, if the tree declares gates. A gate that comes with a later release is not in it.
 * Each release in which a gate changed is a row; the last one is what holds now.
 *
 *   gate: 'APIListChunking',
 *     { since: '1.29', stage: 'GA', default: true, locked: true },
 */
export function featuresOf(model: Model, specifiers: Specifiers): readonly ModuleArtefact[] {
  const { features, platform } = model.api
  const gates = features
    .filter(({ external }) => !external)
    .map(({ gate, description, releases }) => ({
      gate,
      description,
      releases: releases
        .filter(({ since }) => compareReleases(since, platform.release) <= 0)
        .map(({ at: _, ...release }) => code(flat(release))),
    }))
    .filter(({ releases }) => releases.length > 0)
    .sort((a, b) => (a.gate < b.gate ? -1 : 1))
  if (gates.length === 0) return []
  const path = 'features.ts'
  const imports = importsOf(path, specifiers)
  const type = `readonly ${imports.kernel('descriptors/feature-gate', 'FeatureGate', true)}[]`
  const doc = 'The feature gates of this release, with the releases in which they changed.'
  return [
    {
      is: 'module',
      path,
      from: ['features.yaml'],
      statements: [constant('features', type, gates, doc)],
      imports: imports.structures(),
    },
  ]
}

/**
 * The names of the gates that are on at the platform's release unless a flag turns them off.
 * A gate whose name has a placeholder (`<...>`) stands for many, none of which has a default
 * here.
 */
export function gatesOnByDefault({ api: { features, platform } }: Model): readonly string[] {
  const on = features.filter(({ external, gate, releases }) => {
    const known = releases.filter(({ since }) => compareReleases(since, platform.release) <= 0)
    return !external && !gate.includes('<') && known.at(-1)?.default === true
  })
  return on.map(({ gate }) => gate).sort()
}

/** A record on one line. */
function flat(record: object): string {
  const parts = Object.entries(record).map(([key, value]) => `${key}: ${literal(value)}`)
  return `{ ${parts.join(', ')} }`
}
