/** The two words that say what an object is, and those beside a reference to one. */
import { entryOf, nodeAt } from '../text/cursor.ts'
import type { EditorContext } from '../workspace/names.ts'
import type { Item, Position } from './item.ts'

/** Values of `apiVersion` and `kind`, where they say what an object is or which one is meant. */
export function kindItems(position: Position, { catalogue }: EditorContext): readonly Item[] {
  const { typing, object } = position
  const { spot } = typing
  const word = object.path.at(-1)
  if (spot.is !== 'value' || (word !== 'apiVersion' && word !== 'kind')) return []
  const isOwn = object.path.length === 1
  const around = nodeAt(spot.document, [...object.base, ...object.path.slice(0, -1)])
  if (
    !isOwn &&
    entryOf(around, 'name') === undefined &&
    entryOf(around, 'apiVersion') === undefined
  ) {
    return []
  }
  const other = entryOf(around, word === 'kind' ? 'apiVersion' : 'kind')?.value
  const said = other?.is === 'scalar' ? other.text : ''
  const all = catalogue.kinds().filter((one) => isOwn || !one.isConfiguration)
  const fitting = all.filter(
    (one) => said === '' || (word === 'kind' ? one.apiVersion : one.kind) === said,
  )
  const rows = fitting.length > 0 ? fitting : all
  return rows
    .map(({ apiVersion, kind, state }): Item => {
      const [label, detail] =
        word === 'kind' ? [kind, apiVersion] : [apiVersion, said === '' ? '' : kind]
      return {
        label,
        is: 'kind',
        ...(detail !== '' && { detail }),
        ...(state.is !== 'served' && { documentation: state.message, isDeprecated: true }),
      }
    })
    .sort((a, b) => Number(a.isDeprecated ?? false) - Number(b.isDeprecated ?? false))
}
