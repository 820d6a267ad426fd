/** Parts of objects as people read them in a column. */
import {
  type LabelSelectorFields,
  labelRequirementsOf,
  printLabelSelector,
} from '../../kernel/meta/label-selector.ts'
import type { Container, PodTemplate, Strings } from '../types/shapes.ts'

const none = '<none>'

/** One fact of each container of a template. */
export function formatContainers(
  template: PodTemplate | undefined,
  read: (container: Container) => string | undefined,
): string {
  const containers = template?.spec?.containers ?? []
  return containers.map((container) => read(container) ?? '').join(',')
}

/** `a=b,c=d` in the order of the keys. */
export function formatLabels(labels: Strings | undefined): string {
  const entries = Object.entries(labels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))
  return entries.map(([key, value]) => `${key}=${value}`).join(',') || none
}

/** A selector as it is typed after `-l`. */
export function formatSelector(selector: LabelSelectorFields | null | undefined): string {
  const requirements = labelRequirementsOf(selector ?? {})
  return requirements === undefined ? '<error>' : printLabelSelector(requirements) || none
}

/** The first few of a list, and how many more there are. */
export function formatFirst(items: readonly string[], most: number, separator: string): string {
  const shown = items.slice(0, most).join(separator)
  return items.length > most ? `${shown} + ${items.length - most} more...` : shown
}
