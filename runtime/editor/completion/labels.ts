/** Labels that pods of the workspace have, where a selector asks for them. */
import type { PodFacts } from '../../validate/validate.ts'
import { type Step, textAt } from '../text/cursor.ts'
import type { EditorContext } from '../workspace/names.ts'
import { type Item, type Position, scalarText } from './item.ts'

/** True for the labels of a selector: those that have to be there, each with its value. */
function isSelector(path: readonly Step[]): boolean {
  return path.at(-1) === 'matchLabels' || path.at(-1) === 'selector'
}

/** Keys of labels. */
export function labelKeys(
  position: Position,
  path: readonly Step[],
  taken: ReadonlySet<string>,
  context: EditorContext,
): readonly Item[] {
  if (!isSelector(path)) return []
  const pairs = podsOf(position, context).flatMap(({ labels }) => Object.entries(labels))
  return [...new Map(pairs)]
    .filter(([key]) => !taken.has(key))
    .map(([key, value]) => ({
      label: key,
      is: 'name',
      snippet: `${scalarText(key, position)}: ${scalarText(value, position)}`,
      detail: `label of pods: ${value}`,
    }))
}

/** Values of a label. */
export function labelValues(position: Position, context: EditorContext): readonly Item[] {
  const { path } = position.object
  if (!isSelector(path.slice(0, -1))) return []
  const key = String(path.at(-1))
  const values = podsOf(position, context).flatMap(({ labels }) =>
    Object.hasOwn(labels, key) ? [labels[key] as string] : [],
  )
  return [...new Set(values)].map((label) => ({ label, is: 'name', detail: 'label of pods' }))
}

function podsOf({ typing, object }: Position, { objects }: EditorContext): readonly PodFacts[] {
  const namespace = textAt(typing.spot.document, ...object.base, 'metadata', 'namespace')
  return objects.pods(namespace ?? 'default')
}
