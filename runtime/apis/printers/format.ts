/** Parts of objects as people read them in a column. */
import type { LabelSelector } from '../../../generated/apis/meta/v1/label-selector.ts'
import {
  type LabelSelectorFields,
  labelRequirementsOf,
  printLabelSelector,
} from '../../kernel/meta/label-selector.ts'
import type { Loose } from '../../kernel/walker/loose.ts'

const none = '<none>'

/** `a=b,c=d` in the order of the keys. */
export function formatLabels(labels: Readonly<Record<string, string>>): string {
  const entries = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))
  return entries.map(([key, value]) => `${key}=${value}`).join(',') || none
}

/** A selector as it is typed after `-l`. */
export function formatSelector(selector: Loose<LabelSelector>): string {
  const requirements = labelRequirementsOf(selector as LabelSelectorFields)
  return requirements === undefined ? '<error>' : printLabelSelector(requirements) || none
}

/** The first few of a list, and how many more there are. */
export function formatFirst(items: readonly string[], most: number, separator: string): string {
  const shown = items.slice(0, most).join(separator)
  return items.length > most ? `${shown} + ${items.length - most} more...` : shown
}
