import { isStatus } from '../../kernel/errors/status-error.ts'
import { type Decoded, DecodeError, decodeUtf8 } from '../decoded.ts'
import { decodeJson } from '../json/decode-json.ts'
import { type DecodeLimits, defaultLimits } from '../json/decode-limits.ts'

/** Texts longer than this are read in a thread of their own: a text may take four microseconds for each byte. */
const longText = 8 * 1024

/**
 * Reads the first document of a YAML text; JSON text is read as JSON. The YAML parser is loaded on first use. Fails with
 * a DecodeError, or RequestEntityTooLarge.
 */
export async function decodeYaml(
  bytes: Uint8Array | string,
  limits = defaultLimits,
): Promise<Decoded> {
  const text = decodeUtf8(bytes, 'YAML')
  const json = /^\s*\{/.test(text) ? tryJson(text, limits) : undefined
  if (json !== undefined) return json
  if (text.length > longText) return readElsewhere(text, limits)
  const { readYaml } = await import('./yaml-reader.ts')
  try {
    return readYaml(text)
  } catch (error) {
    if (error instanceof RangeError) throw new DecodeError('YAML', 'nested too deeply', 1, 1)
    throw error
  }
}

async function readElsewhere(text: string, limits: DecodeLimits): Promise<Decoded> {
  const { yamlThread } = await import('./yaml-thread.ts')
  const outcome = await yamlThread.read(text)
  if ('why' in outcome) throw new DecodeError('YAML', outcome.why, outcome.line, outcome.column)
  return { value: decodeJson(outcome.json, limits).value, duplicates: outcome.duplicates }
}

function tryJson(text: string, limits: DecodeLimits): Decoded | undefined {
  try {
    return decodeJson(text, limits)
  } catch (error) {
    if (isStatus(error, 'RequestEntityTooLarge')) throw error
    return undefined
  }
}
