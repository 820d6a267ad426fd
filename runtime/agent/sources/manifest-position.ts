import { decodeLocated, type LocatedValue } from '../../serializer/serializer.ts'

/** `:LINE:COLUMN` of fields of a text, or of what is nearest above one that is not there. */
export async function positionsOf(bytes: Buffer): Promise<(path: string) => string> {
  const { root } = await decodeLocated(bytes)
  return (path) => {
    const { line, column } = placeOf(root, path.match(/[^.[\]]+/g) ?? [])
    return `:${line}:${column}`
  }
}

type Place = LocatedValue['at']

function placeOf(root: LocatedValue, steps: readonly string[]): Place {
  let [value, place] = [root, root.at]
  for (const step of steps) {
    if (value.is === 'map') {
      const entry = value.entries.find(({ key }) => key === step)
      if (entry === undefined) return place
      value = entry.value
      place = entry.keyAt
    } else if (value.is === 'list' && value.items[Number(step)] !== undefined) {
      value = value.items[Number(step)] as LocatedValue
      place = value.at
    } else return place
  }
  return place
}
