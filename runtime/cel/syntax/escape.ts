/**
 * Property names as identifiers of the language, and back (api-server.md section 2). A name of letters, digits and `_ .
 * - /` that does not start with a digit has an escaped form; other names cannot be reached from an expression. The
 * mapping is a bijection onto its range.
 */

/** Words of the language that cannot be names of fields; a property with such a name is written `__word__`. */
export const reservedWords: ReadonlySet<string> = new Set([
  'as',
  'break',
  'const',
  'continue',
  'else',
  'false',
  'for',
  'function',
  'if',
  'import',
  'in',
  'let',
  'loop',
  'namespace',
  'null',
  'package',
  'return',
  'true',
  'var',
  'void',
  'while',
])

const accessible = /^[a-zA-Z_./-][a-zA-Z0-9_./-]*$/
const plain = /^[a-zA-Z0-9]+$/
const escapes: ReadonlyMap<string, string> = new Map([
  ['__', '__underscores__'],
  ['.', '__dot__'],
  ['-', '__dash__'],
  ['/', '__slash__'],
])
const sequences: readonly (readonly [string, string])[] = [...escapes].map(([name, to]) => [
  to,
  name,
])

/** The identifier by which an expression reaches the property; undefined if none can. */
export function escapeName(name: string): string | undefined {
  if (reservedWords.has(name)) return `__${name}__`
  if (plain.test(name) && !/^[0-9]/.test(name)) return name
  if (!accessible.test(name)) return undefined
  return name.replaceAll(/__|[./-]/g, (part) => escapes.get(part) ?? part)
}

/** The property that an identifier reaches; undefined for a text that no property escapes to. */
export function unescapeName(identifier: string): string | undefined {
  if (!identifier.includes('__')) return reservedWords.has(identifier) ? undefined : identifier
  const word = identifier.slice(2, -2)
  if (reservedWords.has(word) && identifier === `__${word}__`) return word
  let [name, at] = ['', 0]
  while (at < identifier.length) {
    const found = sequenceAt(identifier, at)
    if (found !== undefined) {
      name += found[1]
      at += found[0].length
      continue
    }
    if (identifier.startsWith('__', at) && sequenceAt(identifier, at + 1) === undefined) {
      return undefined
    }
    name += identifier[at]
    at++
  }
  return name
}

/** At most one sequence begins at a place, since none is the beginning of another. */
function sequenceAt(text: string, at: number): readonly [string, string] | undefined {
  return sequences.find(([sequence]) => text.startsWith(sequence, at))
}
