import { type Decoded, DecodeError, textOf } from './decoded.ts'
import { decodeJson } from './json.ts'

/**
 * Reads the first document of a YAML text; JSON text is read as JSON. The YAML parser is loaded on first use. Fails with
 * a DecodeError.
 */
export async function decodeYaml(bytes: Uint8Array | string): Promise<Decoded> {
  const text = textOf(bytes, 'YAML')
  const json = /^\s*\{/.test(text) ? tryJson(text) : undefined
  if (json !== undefined) return json
  const { readYaml } = await import('./yaml-reader.ts')
  try {
    return readYaml(text)
  } catch (error) {
    if (error instanceof RangeError) throw new DecodeError('YAML', 'nested too deeply', 1, 1)
    throw error
  }
}

function tryJson(text: string): Decoded | undefined {
  try {
    return decodeJson(text)
  } catch {
    return undefined
  }
}
