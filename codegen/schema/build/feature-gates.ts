/** The feature gates of `features.yaml`. */
import type {
  FeatureRelease,
  FeatureStage,
} from '../../../runtime/kernel/descriptors/feature-gate.ts'
import { didYouMean } from '../../../runtime/kernel/values/spelling.ts'
import { isForeign, roleOf } from '../files/layout.ts'
import type { Documents } from '../files/load.ts'
import type { Report } from '../finding.ts'
import type { FeatureFacts } from '../ir.ts'
import type { Shape } from '../keys/shape.ts'
import { get, items, plain, text, type YamlNode } from '../yaml/node.ts'
import type { FactsByFile } from './built-files.ts'
import { checkShape, inOrder } from './mapping-shape.ts'

const gateShape: Shape = {
  gate: 'string!',
  description: 'string!',
  releases: 'list!',
  replacement: 'string',
}
const releaseShape: Shape = {
  since: 'string!',
  stage: 'string!',
  default: 'boolean!',
  locked: 'boolean',
}
const stages: readonly FeatureStage[] = ['Alpha', 'Beta', 'GA', 'Deprecated']

/** The gates of orch's own root and of a user's. */
export function buildFeatures(
  { documents }: Documents,
  report: Report,
  facts: FactsByFile,
): readonly FeatureFacts[] {
  return [...documents]
    .filter(([file]) => roleOf(file) === 'features')
    .flatMap(([file, node]) => facts.of(file, () => featuresOf(node, isForeign(file), report)))
}

function featuresOf(node: YamlNode, external: boolean, report: Report): readonly FeatureFacts[] {
  if (!checkShape(node, 'a feature file', { features: 'list!' }, report)) return []
  return items(get(node, 'features')).flatMap((each) => featureOf(each, external, report))
}

/**
 * A gate without the required keys is still a gate, with empty texts: its problems are reported,
 * and references to it do not add others.
 */
function featureOf(node: YamlNode, external: boolean, report: Report): readonly FeatureFacts[] {
  if (!checkShape(node, 'a feature gate', gateShape, report)) return []
  const replacement = text(get(node, 'replacement'))
  return [
    {
      gate: text(get(node, 'gate')) ?? '',
      description: text(get(node, 'description')) ?? '',
      releases: items(get(node, 'releases')).flatMap((each) => releaseOf(each, report)),
      ...(replacement !== undefined && { replacement }),
      at: get(node, 'gate')?.at ?? node.at,
      external,
    },
  ]
}

/**
 * `{ since: '1.29', stage: GA, default: true, locked: true }`. An unknown stage is reported and
 * kept.
 */
function releaseOf(node: YamlNode, report: Report): FeatureFacts['releases'] {
  if (!checkShape(node, 'a release', releaseShape, report)) return []
  const stage = get(node, 'stage')
  const word = text(stage)
  if (stage !== undefined && word !== undefined && !stages.some((each) => each === word)) {
    const wanted = stages.map((each) => `"${each}"`).join(', ')
    report(stage.at, 'wrong-value', `"stage" must be one of ${wanted}${didYouMean(word, stages)}`)
  }
  return [{ ...inOrder(plain(node) as FeatureRelease, releaseShape), at: node.at }]
}
