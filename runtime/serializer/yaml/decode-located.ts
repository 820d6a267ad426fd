import type { Json } from '../../kernel/values/json.ts'
import { decodeUtf8 } from '../format/decoded.ts'
import type { LocatedDocument, LocatedText } from './located.ts'
import { readPlainDocuments } from './plain-reader.ts'

/**
 * Reads a YAML or JSON text with the position of every key and value, for messages about files. The parser is imported on
 * first use.
 *
 * @throws DecodeError for a text that cannot be read, or has more than one document
 */
export async function decodeLocated(bytes: Uint8Array | string): Promise<LocatedText> {
  const text = decodeUtf8(bytes, 'YAML')
  const { readLocated } = await import('./located-reader.ts')
  return readLocated(text)
}

/**
 * Reads every document of a YAML or JSON text with the position of every key and value. What is wrong with one document stands in
 * its place; empty ones are left out.
 *
 * @throws DecodeError for bytes that are not UTF-8
 */
export async function decodeLocatedDocuments(
  bytes: Uint8Array | string,
): Promise<readonly LocatedDocument[]> {
  const text = decodeUtf8(bytes, 'YAML')
  const { readLocatedDocuments } = await import('./located-reader.ts')
  return [...readLocatedDocuments(text)]
}

/**
 * The values of the same documents, of a text in which nothing is wrong and nothing unusual: many times faster. Undefined for any
 * other text.
 */
export function decodePlainDocuments(bytes: Uint8Array | string): readonly Json[] | undefined {
  if (typeof bytes === 'string') return readPlainDocuments(bytes)
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
  // What stands for bytes that are no text may stand in a text, too: the parser tells them apart.
  return text.includes('\ufffd') ? undefined : readPlainDocuments(text)
}
