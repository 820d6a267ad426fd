/** One import or re-export of a source file. `typeOnly` leaves nothing behind at run time. */
export interface Import {
  readonly specifier: string
  readonly typeOnly: boolean
  readonly line: number
}

/** Import and export statements and calls of `import`; the specifier stands in single quotes. */
const statement =
  /(?:^|[\n;])[ \t]*(?:import|export)(\s+type\b)?(?:[^'"`;]*?\bfrom)?\s*'([^'\n]+)'|\bimport\(\s*'([^'\n]+)'/g

/** Every import of a source text, static and dynamic. Text in comments is no import. */
export function importsOf(source: string): readonly Import[] {
  const text = withoutComments(source)
  return [...text.matchAll(statement)].map((match) => {
    const specifier = match[2] ?? match[3]!
    const at = match.index + match[0].lastIndexOf(specifier)
    return { specifier, typeOnly: match[1] !== undefined, line: lineOf(text, at) }
  })
}

/** Texts and comments, the first of which begins where it stands: a quote in a comment opens no text. */
const pieces =
  /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[\s\S])*`|\/\*[\s\S]*?\*\/|\/\/.*/g

/** Blanks out comments and keeps the lines where they are. */
export function withoutComments(source: string): string {
  return source.replace(pieces, (piece) => (piece.startsWith('/') ? blank(piece) : piece))
}

/** Blanks out comments and the text of templates, which in tests is often code that is only looked at. */
export function withoutTexts(source: string): string {
  return source.replace(pieces, (piece) => (/^[/`]/.test(piece) ? blank(piece) : piece))
}

/** The comments of a source where they stand; everything else is blank. */
export function commentsOnly(source: string): string {
  let end = 0
  let result = ''
  for (const { 0: piece, index } of source.matchAll(pieces)) {
    if (!piece.startsWith('/')) continue
    result += blank(source.slice(end, index)) + piece
    end = index + piece.length
  }
  return result + blank(source.slice(end))
}

/** As many lines of nothing, so that places stay right. */
function blank(piece: string): string {
  return piece.replace(/[^\n]/g, ' ')
}

/** The line of a position, counted from 1. */
export function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length
}
