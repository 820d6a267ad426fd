import { decodeUtf8 } from '../format/decoded.ts'
import type { LocatedText } from './located.ts'

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
