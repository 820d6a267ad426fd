/** YAML documents as the tools of the ecosystem write them. */
import { parseAllDocuments, type YAMLParseError } from 'yaml'

/** A text that is no YAML, with the first problem of it. */
export class YamlTextError extends Error {}

/** How many times a text is mended: each time mends every quoted text that the parser stopped at. */
const attempts = 5

/**
 * The documents of a text as plain values. Many published manifests continue a quoted text at the indentation of its key, which
 * the parsers of the ecosystem accept and YAML 1.2 does not: such lines are indented first.
 */
export function yamlDocuments(text: string): readonly unknown[] {
  let source = text
  for (let attempt = 0; ; attempt++) {
    const documents = [...parseAllDocuments(source)]
    const errors = documents.flatMap((document) => document.errors)
    if (errors.length === 0) return documents.map((document) => document.toJS())
    const mended = attempt < attempts ? withIndentedQuotes(source, errors) : source
    if (mended === source) {
      throw new YamlTextError(errors[0]?.message.split('\n')[0]?.replace(/:$/, ''))
    }
    source = mended
  }
}

/**
 * Indents what follows the first line of each quoted text that an error says is not closed. Errors inside a text that was
 * indented follow from it.
 */
function withIndentedQuotes(text: string, errors: readonly YAMLParseError[]): string {
  const lines = text.split('\n')
  let done = 0
  for (const { code, linePos } of errors) {
    const line = (code === 'MISSING_CHAR' && linePos?.[0].line) || 0
    if (line > done) done = indentQuoted(lines, line - 1)
  }
  return lines.join('\n')
}

/** The indentation of a line, what stands before its first quote, and that quote. */
const opening = /^( *)([^'"#]*)(['"])/

/** True for what may stand before a quoted value: nothing, a key, or the sign of an item. */
function beginsValue(before: string): boolean {
  return before === '' || [':', '-'].includes(before.trimEnd().at(-1) ?? '')
}

/**
 * The text begins at the line where the parser gave up, or above it if blank lines are in it. Gives the number of lines up to its
 * end.
 */
function indentQuoted(lines: string[], stopped: number): number {
  let first = stopped
  while (first > 0 && lines[first]?.trim() === '') first--
  const [, indentation = '', before = '', quote] = opening.exec(lines[first] ?? '') ?? []
  if (quote === undefined || !beginsValue(before)) return stopped
  const closing = quote === "'" ? /(?<!')(?:'')*'(?!')/ : /(?<!\\)(?:\\\\)*"/
  for (let index = first + 1; index < lines.length; index++) {
    const line = lines[index] as string
    lines[index] = line.trim() === '' ? line : `${indentation}  ${line}`
    if (closing.test(line)) return index + 1
  }
  return lines.length
}
