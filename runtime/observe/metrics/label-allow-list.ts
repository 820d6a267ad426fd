/** Which values labels may have: what --allow-metric-labels and its manifest file say. */
import type { MetricFacts } from '../../kernel/descriptors/metric-facts.ts'

/** The values that labels may have, by metric and label. A label that it does not name may have any value. */
export type LabelAllowList = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>

/** What a value that is not in the list is counted as. */
export const unexpectedLabelValue = 'unexpected'

const keyForm = /^([a-zA-Z_:][a-zA-Z0-9_:]*),([a-zA-Z_][a-zA-Z0-9_]*)$/

/** Reads pairs of `METRIC,LABEL` and `VALUE,VALUE`; `problems` has a text for each key that is not of that form. */
export function labelAllowList(pairs: ReadonlyMap<string, string>): {
  readonly list: LabelAllowList
  readonly problems: readonly string[]
} {
  const list = new Map<string, Map<string, ReadonlySet<string>>>()
  const problems: string[] = []
  for (const [key, values] of pairs) {
    const [, metric, label] = keyForm.exec(key) ?? []
    if (metric === undefined || label === undefined) {
      const name = JSON.stringify(key)
      problems.push(`${name} must be the name of a metric and of a label: METRIC,LABEL`)
      continue
    }
    const labels = list.get(metric) ?? new Map<string, ReadonlySet<string>>()
    list.set(metric, labels.set(label, new Set(values.split(',').map((value) => value.trim()))))
  }
  return { list, problems }
}

/** Replaces label values that are not allowed. */
export type LabelFilter = (values: readonly string[]) => readonly string[]

/** The filter of a metric's labels; undefined if the list bounds none of them. */
export function labelFilterOf(
  { name, labels }: MetricFacts,
  list?: LabelAllowList,
): LabelFilter | undefined {
  const bounds = labels.map((label) => list?.get(name)?.get(label))
  if (bounds.every((allowed) => allowed === undefined)) return undefined
  return (values) =>
    values.map((value, at) => (bounds[at]?.has(value) === false ? unexpectedLabelValue : value))
}
