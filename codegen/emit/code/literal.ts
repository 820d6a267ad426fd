/** Data as source text in the formatter's layout: one property a line, lists on one line while they fit. */
import { property, quote } from './names.ts'

/** The formatter's line width. */
const width = 100

/** Source text that stands in data as it is: an identifier, an arrow function. */
export class Code {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Marks a text as source text. */
export function code(text: string): Code {
  return new Code(text)
}

/**
 * `value` as an expression that begins at column `column` of a line indented by `indent` spaces. Properties whose value
 * is undefined are left out.
 */
export function literal(value: unknown, indent = 0, column = indent): string {
  if (value instanceof Code) return value.text
  if (typeof value === 'string') return quote(value)
  if (Array.isArray(value)) return list(value, indent, column)
  if (typeof value === 'object' && value !== null) return record(value, indent)
  return String(value)
}

/**
 * One property a line, with the shorthand where a property is a `Code` of its own name
 * (`platform,`). A string that would pass the line's width goes to a line of its own below its
 * key, which is what the formatter does with it.
 */
function record(value: object, indent: number): string {
  const entries = Object.entries(value).filter(([, part]) => part !== undefined)
  if (entries.length === 0) return '{}'
  const inner = indent + 2
  const lines = entries.map(([key, part]) => {
    if (part instanceof Code && part.text === key) return `${' '.repeat(inner)}${key},`
    const head = `${' '.repeat(inner)}${property(key)}: `
    const text = literal(part, inner, head.length)
    const broken = typeof part === 'string' && head.length + text.length >= width
    return broken ? `${head.trimEnd()}\n${' '.repeat(inner + 2)}${text},` : `${head}${text},`
  })
  return `{\n${lines.join('\n')}\n${' '.repeat(indent)}}`
}

/**
 * A list stands on one line only if none of its items needs several and the line, with the comma
 * behind it, is no longer than the width.
 *
 *   verbs: ['create', 'delete'],
 */
function list(values: readonly unknown[], indent: number, column: number): string {
  const flat = `[${values.map((value) => literal(value, 0)).join(', ')}]`
  if (!flat.includes('\n') && column + flat.length + 1 <= width) return flat
  const inner = indent + 2
  const lines = values.map((value) => `${' '.repeat(inner)}${literal(value, inner)},`)
  return `[\n${lines.join('\n')}\n${' '.repeat(indent)}]`
}
