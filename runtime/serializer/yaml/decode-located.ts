import { decodeUtf8 } from '../format/decoded.ts'
import type { LocatedDocument, LocatedText } from './located.ts'

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
