/** Texts in quotes, as the messages of public servers show them. */

/** Beyond ASCII, whose control characters JSON escapes. */
const unprintable = /(?![\0-\x7f])[\p{C}\p{Z}]/gu

const escapes: Readonly<Record<string, string>> = {
  '\\u0007': '\\a',
  '\\u000b': '\\v',
}

/** A text in quotes, as Go writes it: characters that cannot be printed are escaped. */
export function quoted(text: string): string {
  return JSON.stringify(text)
    .replace(unprintable, (found) => {
      const code = (found.codePointAt(0) ?? 0).toString(16)
      return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`
    })
    .replaceAll('\u007f', '\\x7f')
    .replace(/\\\\|\\u00[01][0-9a-f]/g, (found) =>
      found === '\\\\' ? found : (escapes[found] ?? `\\x${found.slice(4)}`),
    )
}

/** How many characters of a text a message about a time shows. */
const shown = 1024

/** A text in quotes as messages about times have it: bytes that are no visible ASCII characters are in hexadecimal. */
export function quotedBytes(text: string): string {
  const escaped = [...Buffer.from(text.slice(0, shown))].map((byte) => {
    if (byte === 0x22 || byte === 0x5c) return `\\${String.fromCharCode(byte)}`
    const visible = byte >= 0x20 && byte < 0x80
    return visible ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`
  })
  return `"${escaped.join('')}"`
}
