import { isObject, type Json } from '../../runtime/kernel/values/json.ts'
import type { Answer } from './server.ts'

/** What a literal of Go's structs begins with in the message of an error: `Invalid value: apiextensions.JSONSchemaProps{`. */
const structLiteral =
  /(Invalid value|Required value|Duplicate value|Unsupported value): &?(?:\[\])?(?:[a-z]\w*\.[A-Z]\w*|byte|int32)[{(]/

/**
 * Two answers without the values that the reference shows as the memory of its program: those of both become `<value>`, so that
 * what is said of them is compared.
 */
export function withoutStructs(ours: Answer, reference: Answer): readonly [Answer, Answer] {
  if (reference.status < 400 || !structLiteral.test(reference.text)) return [ours, reference]
  try {
    const pair = mapped(JSON.parse(ours.text) as Json, JSON.parse(reference.text) as Json)
    const [mine, theirs] = pair.map((body) => JSON.stringify(body)) as [string, string]
    return [
      { ...ours, text: mine },
      { ...reference, text: theirs },
    ]
  } catch {
    return [ours, reference]
  }
}

/** Both values, text by text where they have the same form. */
function mapped(ours: Json, reference: Json): readonly [Json, Json] {
  if (typeof ours === 'string' && typeof reference === 'string') {
    return withoutLiterals(ours, reference)
  }
  if (Array.isArray(ours) && Array.isArray(reference)) return mappedItems(ours, reference)
  if (!isObject(ours) || !isObject(reference)) return [ours, reference]
  const [mine, theirs] = [{ ...ours }, { ...reference }]
  for (const key of Object.keys(reference)) {
    if (ours[key] === undefined) continue
    const [one, other] = mapped(ours[key] as Json, reference[key] as Json)
    mine[key] = one
    theirs[key] = other
  }
  return [mine, theirs]
}

/** Two lists, each item beside the next one about its field; items stay where they are. */
function mappedItems(ours: readonly Json[], reference: readonly Json[]): readonly [Json, Json] {
  const [mine, theirs] = [[...ours], [...reference]]
  const left = new Set(reference.keys())
  for (const [at, one] of ours.entries()) {
    const like = (other: number) => fieldOf(reference[other]) === fieldOf(one)
    const other = [...left].find((place) => like(place) && tailOf(reference[place]) === tailOf(one))
    const found = other ?? [...left].find(like)
    if (found === undefined) continue
    left.delete(found)
    const [ownItem, otherItem] = mapped(one, reference[found] as Json)
    mine[at] = ownItem
    theirs[found] = otherItem
  }
  return [mine, theirs]
}

/** The field that a cause is about; undefined for other items, which go by their order. */
function fieldOf(item: Json | undefined): string | undefined {
  return isObject(item) && typeof item.field === 'string' ? item.field : undefined
}

/** The end of a cause's message, where no value is shown. */
function tailOf(item: Json | undefined): string | undefined {
  return isObject(item) && typeof item.message === 'string' ? item.message.slice(-30) : undefined
}

/** Two texts of as many values, without those that the reference shows as a struct. */
function withoutLiterals(ours: string, reference: string): readonly [string, string] {
  const [mine, theirs] = [valuesIn(ours), valuesIn(reference)]
  if (mine.length !== theirs.length) return [ours, reference]
  const structs = theirs.map(([start, end]) => structLiteral.test(reference.slice(start, end)))
  return [without(ours, mine, structs), without(reference, theirs, structs)]
}

type Span = readonly [start: number, end: number]

/** Where the values of a message stand, each with the words before it. */
function valuesIn(text: string): readonly Span[] {
  const spans: Span[] = []
  for (const { 0: words, index } of text.matchAll(beforeValue)) {
    if (index < (spans.at(-1)?.[1] ?? 0)) continue
    spans.push([index, endOfValue(text, index + words.length)])
  }
  return spans
}

const beforeValue = /(?:Invalid|Required|Duplicate|Unsupported) value: /g

/** The end of a text in quotes, of what stands in brackets, or of a word. */
function endOfValue(text: string, start: number): number {
  if (text[start] === '"') return endOfText(text, start) + 1
  const bracket = /[[({]/.exec(text.slice(start, text.indexOf(': ', start) + 1 || text.length))
  const typed = /^&?(?:\[\])?[\w.]*[[({]/.exec(text.slice(start))
  if (typed === null || bracket === null) {
    const end = text.indexOf(': ', start)
    return end < 0 ? text.length : end
  }
  return endOfLiteral(text, start + typed[0].length - 1)
}

function without(text: string, spans: readonly Span[], structs: readonly boolean[]): string {
  let result = ''
  let at = 0
  for (const [index, [start, end]] of spans.entries()) {
    const value = structs[index]
      ? text.slice(start, end).replace(/: .*$/s, ': <value>')
      : text.slice(start, end)
    result += text.slice(at, start) + value
    at = end
  }
  return result + text.slice(at)
}

/** The index after the bracket that closes the one at `start`; texts in quotes may hold any bracket. */
function endOfLiteral(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at += 1) {
    const character = text[at] as string
    if (character === '"') at = endOfText(text, at)
    if (character === '{' || character === '[' || character === '(') depth += 1
    if (character === '}' || character === ']' || character === ')') depth -= 1
    if (depth === 0) return at + 1
  }
  return afterCut(text, start)
}

/** The index where the message goes on after a value that was cut. */
function afterCut(text: string, start: number): number {
  const at = text.indexOf('...: ', start)
  return at < 0 ? text.length : at + 3
}

function endOfText(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}
