/** Characters of all warnings together, as the public API server bounds them. */
const maxCharacters = 4096

/** Characters of a single warning, where all of them are too long. */
const maxTextCharacters = 256

/**
 * Warnings as values of `Warning` headers (RFC 7234, section 5.5): code 299, agent `-`, quotes and backslashes escaped,
 * duplicates once. Beyond 4096 characters in all, each text is cut at 256, and what then still does not fit is left out.
 */
export function warningHeaders(texts: readonly string[]): readonly string[] {
  const once = [...new Set(texts)]
  const long = once.reduce((sum, text) => sum + text.length, 0) > maxCharacters
  let left = maxCharacters
  return once
    .map((text) => (long ? text.slice(0, maxTextCharacters) : text))
    .filter((text) => {
      left -= text.length
      return left >= 0
    })
    .map((text) => `299 - "${escaped(text)}"`)
}

/** Header values are bytes, here those of UTF-8; what is no visible character of ASCII or above becomes a question mark. */
function escaped(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
  const visible = text.replace(/[\x00-\x1f\x7f]/g, '?').replace(/["\\]/g, '\\$&')
  return Buffer.from(visible, 'utf8').toString('latin1')
}
