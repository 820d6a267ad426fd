/** Emits the reference page of metrics: what each measures, its labels, and which daemons serve it. */
import { daemonsServing } from '../../../runtime/kernel/descriptors/metric-facts.ts'
import type { MetricHistory } from '../../schema/ir.ts'
import type { TextArtefact } from '../artefact.ts'
import type { Model } from '../model/model.ts'
import { code, plain, table } from './markdown.ts'

/** The page, if the tree declares metrics. */
export function metricPagesOf({ api }: Model): readonly TextArtefact[] {
  const rows = api.metrics.map(rowOf).sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
  if (rows.length === 0) return []
  const text = [
    '# Metrics',
    '',
    'Served at `/metrics` by the programs that are named. `--disabled-metrics` leaves some out, `--allow-metric-labels` bounds',
    'the values of a label. A deprecated metric says so in its help, is hidden three releases later, and gone after one more.',
    '',
    ...table(['Metric', 'Type', 'Stability', 'Labels', 'Served by', 'What it says'], rows),
  ]
  const from = ['metrics.yaml']
  return [{ is: 'text', path: 'docs/metrics.md', from, text: `${text.join('\n').trimEnd()}\n` }]
}

/** Labels stand as a list of names; their values are bounded by flags, not by the schema. */
function rowOf(metric: MetricHistory): readonly string[] {
  const { name, type, stability, labels, deprecated, help } = metric
  const old = deprecated === undefined ? [] : [`Deprecated from ${deprecated}.`]
  return [
    code(name),
    type,
    stability,
    labels.map(code).join(' '),
    daemonsServing(metric).join(', '),
    [plain(help), ...old].join(' '),
  ]
}
