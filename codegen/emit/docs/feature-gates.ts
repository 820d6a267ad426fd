/** Emits the reference page of feature gates: what each switches, and its stage in each release. */
import type { FeatureFacts } from '../../schema/ir.ts'
import { compareReleases } from '../../schema/lint/feature-gates.ts'
import type { TextArtefact } from '../artefact.ts'
import type { Model } from '../model/model.ts'
import { code, plain, table } from './markdown.ts'

/**
 * The page, if the tree declares gates.
 * A row for each gate, sorted by name:
 *
 *   | `APIListChunking` | GA, on; non-operational | Lists are served in ... | Alpha 1.8, GA 1.29 |
 */
export function gatePagesOf({ api }: Model): readonly TextArtefact[] {
  const rows = api.features
    .filter(({ external }) => !external)
    .map((feature) => rowOf(feature, api.platform.release))
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
  if (rows.length === 0) return []
  const text = [
    '# Feature gates',
    '',
    'Set by `--feature-gates`. A gate that is non-operational cannot be turned off, and goes in a later release.',
    '',
    ...table(['Gate', 'State', 'Switches', 'History'], rows),
  ]
  const from = ['features.yaml']
  return [
    { is: 'text', path: 'docs/feature-gates.md', from, text: `${text.join('\n').trimEnd()}\n` },
  ]
}

/**
 * Gates of later releases are listed too, as such.
 * The state is that of the platform's release: the last change at or before it. Only a gate that
 * is GA or deprecated says whether it can still be set; one that is GA, or locked, cannot.
 */
function rowOf(feature: FeatureFacts, release: string): readonly string[] {
  const { gate, description, releases, replacement } = feature
  const past = releases.filter(({ since }) => compareReleases(since, release) <= 0)
  const last = past.at(-1)
  const old = last?.stage === 'GA' || last?.stage === 'Deprecated'
  const fixed = last?.stage === 'GA' || last?.locked === true
  const state = [
    last === undefined ? 'comes later' : `${last.stage}, ${last.default ? 'on' : 'off'}`,
    ...(old ? [fixed ? 'non-operational' : 'can still be set'] : []),
  ]
  const instead = replacement === undefined ? [] : [`Replaced by ${code(replacement)}.`]
  return [
    code(gate),
    state.join('; '),
    [plain(description), ...instead].join(' '),
    releases.map(({ since, stage }) => `${stage} ${since}`).join(', '),
  ]
}
