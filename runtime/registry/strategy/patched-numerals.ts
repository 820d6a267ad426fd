import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { unescapedStep } from '../../kernel/values/json-pointer.ts'
import { encodeJson, type Numeral } from '../../serializer/serializer.ts'
import type { Body, PatchType } from '../contract/contract.ts'

type Path = Numeral['path']

/**
 * Finds the numbers of a patch that are not written as they are printed, `1.0`, in the document that it made. A strategic merge
 * patch has none: what it makes is values, not text.
 */
export function patchedNumerals(
  type: PatchType,
  { value: patch, numerals = [] }: Body,
): ((patched: Json) => readonly Numeral[]) | undefined {
  if (numerals.length === 0 || type === 'strategic') return undefined
  return (patched) =>
    numerals.flatMap(({ path, text }) => {
      const place = type === 'json' ? placeOf(patch, path, patched) : path
      return place !== undefined && valueAt(patched, place) === Number(text)
        ? [{ path: place, text }]
        : []
    })
}

/** Where the value of an operation stands in the document that all of them made. */
function placeOf(patch: Json, [index = 0, part, ...rest]: Path, patched: Json): Path | undefined {
  const operation = Array.isArray(patch) ? (patch[Number(index)] as Json) : null
  if (part !== 'value' || !isObject(operation) || typeof operation.path !== 'string') return
  const place: (string | number)[] = []
  let around: Json | undefined = patched
  for (const token of operation.path.split('/').slice(1)) {
    const step = Array.isArray(around) ? indexOf(around, token) : unescapedStep(token)
    place.push(step)
    around = valueAt(around, [step])
  }
  return [...place, ...rest]
}

function indexOf(list: readonly Json[], token: string): number {
  return token === '-' ? list.length - 1 : Number(token)
}

function valueAt(value: Json | undefined, path: Path): Json | undefined {
  let at = value
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined
    at = (at as Readonly<Record<string | number, Json>>)[step]
  }
  return at
}

/** A document as JSON, its numbers as the patch has them: `1.0` stays `1.0`. */
export function asWritten(value: Json, numerals: readonly Numeral[]): string {
  const marked = numerals.reduce(
    (made, { path }, at) => withValueAt(made, path, `${numeralMark}${at}`),
    value,
  )
  const text = Buffer.from(encodeJson(marked)).toString()
  const marks = new RegExp(`"${numeralMark}(\\d+)"`, 'g')
  return text.replace(marks, (whole, at: string) => numerals[Number(at)]?.text ?? whole)
}

const numeralMark = '\ufffenumeral '

function withValueAt(value: Json, [step, ...rest]: Numeral['path'], item: Json): Json {
  if (step === undefined) return item
  if (Array.isArray(value))
    return value.map((one: Json, at) => (at === step ? withValueAt(one, rest, item) : one))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key,
      key === step && one !== undefined ? withValueAt(one, rest, item) : one,
    ]),
  ) as JsonObject
}
