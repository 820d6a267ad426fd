import { isStatus } from '../../kernel/errors/status-error.ts'
import { type DecodeLimits, defaultLimits } from '../format/decode-limits.ts'
import { type Decoded, DecodeError, decodeUtf8 } from '../format/decoded.ts'
import { yamlProblems } from '../format/strict-problems.ts'
import { decodeJson } from '../json/decode-json.ts'

/** Characters. Longer texts are read in a worker thread: reading may take 4 us for each byte, and must not block the server. */
const longText = 8 * 1024

/** Characters that a YAML text has nowhere. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const control = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/

/**
 * The first document of a YAML text as a value. A text that is JSON is read as JSON, which is faster. The parser is imported
 * on first use.
 *
 * @throws DecodeError (BadRequest) for a text that cannot be read
 * @throws StatusError RequestEntityTooLarge, or TooManyRequests while too many long texts are being read
 */
export async function decodeYaml(
  bytes: Uint8Array | string,
  limits = defaultLimits,
): Promise<Decoded> {
  const text = decodeUtf8(bytes, 'YAML')
  const json = /^\s*\{/.test(text) ? tryJson(text, limits) : undefined
  if (json !== undefined) return json
  if (control.test(text)) throw new DecodeError('YAML', 'control characters are not allowed')
  if (text.length > longText) return readInThread(text, limits)
  const { readYaml } = await import('./yaml-reader.ts')
  try {
    return withProblems(readYaml(text))
  } catch (error) {
    if (error instanceof RangeError) throw new DecodeError('YAML', 'nested too deeply')
    throw error
  }
}

/** The thread sends JSON, which is checked against the limits before anything is made of it. */
async function readInThread(text: string, limits: DecodeLimits): Promise<Decoded> {
  const { yamlThread } = await import('./yaml-thread.ts')
  const outcome = await yamlThread.read(text)
  if ('why' in outcome) throw new DecodeError('YAML', outcome.why, outcome.at)
  const { value } = decodeJson(outcome.json, limits)
  return withProblems({ value, duplicates: outcome.duplicates })
}

function withProblems(decoded: Decoded): Decoded {
  if (decoded.duplicates.length === 0) return { ...decoded, sorted: true }
  return { ...decoded, sorted: true, strict: yamlProblems(decoded.duplicates) }
}

/** Undefined for a text that is not JSON: it may still be YAML, of which JSON is nearly a part. */
function tryJson(text: string, limits: DecodeLimits): Decoded | undefined {
  try {
    const { numerals: _, ...decoded } = decodeJson(text, limits)
    return { ...decoded, sorted: true }
  } catch (error) {
    if (isStatus(error, 'RequestEntityTooLarge')) throw error
    return undefined
  }
}
