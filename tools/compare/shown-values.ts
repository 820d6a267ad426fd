import { isObject, type Json } from '../../runtime/kernel/values/json.ts'
import type { Answer } from './server.ts'

/** What a literal of Go's structs begins with in the message of an error: `Invalid value: apiextensions.JSONSchemaProps{`. */
const structLiteral =
  /(Invalid value|Required value|Duplicate value|Unsupported value): &?(?:\[\])?(?:[a-z]\w*\.[A-Z]\w*|byte|int32)[{(]/

/** The same in a message that shows the value as JSON. */
const shownValue =
  /(Invalid value|Required value|Duplicate value|Unsupported value): (?:"null"|(?:&?(?:\[\])?(?:[a-z]\w*\.[A-Z]\w*|byte|int32|string)(?=[{(]))?[[{(])/

/**
 * Two answers without the values that the reference shows as the memory of its program: those of both become `<value>`, so that
 * what is said of them is compared.
 */
export function withoutStructs(ours: Answer, reference: Answer): readonly [Answer, Answer] {
  if (reference.status < 400 || !structLiteral.test(reference.text)) return [ours, reference]
  return [withoutValues(ours), withoutValues(reference)]
}

function withoutValues(answer: Answer): Answer {
  try {
    return { ...answer, text: JSON.stringify(mapped(JSON.parse(answer.text) as Json)) }
  } catch {
    return answer
  }
}

function mapped(value: Json): Json {
  if (typeof value === 'string') return withoutLiterals(value)
  if (Array.isArray(value)) return value.map(mapped)
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([key, inner]) => [key, mapped(inner as Json)])
  return Object.fromEntries(entries)
}

function withoutLiterals(text: string): string {
  const match = shownValue.exec(text)
  if (match === null) return text
  const start = match.index + match[0].length - 1
  const end = match[0].endsWith('"') ? start + 1 : endOfLiteral(text, start)
  const before = `${text.slice(0, match.index)}${match[1]}: <value>`
  return before + withoutLiterals(text.slice(end))
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
