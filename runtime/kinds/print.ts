/** Parts of objects as people read them in a column. */
import { type LabelSelectorLike, printLabelSelector, requirementsOf } from '../kernel/labels.ts'
import type { Container, PodTemplate, Strings } from './shapes.ts'

const none = '<none>'

/** One fact of each container of a template. */
export function printNames(
  template: PodTemplate | undefined,
  read: (container: Container) => string | undefined,
): string {
  const containers = template?.spec?.containers ?? []
  return containers.map((container) => read(container) ?? '').join(',')
}

/** `a=b,c=d` in the order of the keys. */
export function printLabels(labels: Strings | undefined): string {
  const entries = Object.entries(labels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))
  return entries.map(([key, value]) => `${key}=${value}`).join(',') || none
}

/** A selector as it is typed after `-l`. */
export function printSelector(selector: LabelSelectorLike | null | undefined): string {
  const requirements = requirementsOf(selector ?? {})
  return requirements === undefined ? '<error>' : printLabelSelector(requirements) || none
}

/** The first few of a list, and how many more there are. */
export function printFew(items: readonly string[], most: number, separator: string): string {
  const shown = items.slice(0, most).join(separator)
  return items.length > most ? `${shown} + ${items.length - most} more...` : shown
}
