/** What may be typed at a place. */

import { typingAt } from '../text/cursor.ts'
import { objectAt } from '../text/object-at.ts'
import type { OutlineNode } from '../text/outline-nodes.ts'
import type { EditorContext } from '../workspace/names.ts'
import { type Completion, type Position, toCompletion } from './item.ts'
import { fieldItems, keyItems } from './keys.ts'
import { kindItems } from './kinds.ts'
import { nameItems } from './names.ts'
import { valueItems } from './values.ts'

/** The longest text that answers are about: an outline of it takes less than the time that a person notices. */
export const maxTextLength = 1024 * 1024

/** Everything that may be typed at the offset, the likeliest first. */
export function complete(
  file: string,
  text: string,
  offset: number,
  context: EditorContext,
): readonly Completion[] {
  if (text.length > maxTextLength) return []
  const typing = typingAt(text, offset)
  if (typing === undefined) return []
  const { spot } = typing
  const object = objectAt(spot.document, spot.path)
  const root = context.catalogue.root(object.apiVersion ?? '', object.kind ?? '')
  const position: Position = { file, typing, object, root, isJson: isJson(spot.document.value) }
  const items = [
    ...kindItems(position, context),
    ...(spot.is === 'key'
      ? keyItems(position, context)
      : [
          ...nameItems(position, context),
          ...valueItems(position, context),
          ...fieldItems(position, context),
        ]),
  ]
  const seen = new Set<string>()
  return items
    .filter(({ label }) => !seen.has(label) && seen.add(label))
    .map((item, index) => toCompletion(item, index, position))
}

/** True for a document in brackets. */
function isJson(node: OutlineNode | undefined): boolean {
  return node !== undefined && node.is !== 'scalar' && node.flow
}
