import { parseTrustedJson } from '../json/encode-json.ts'

/**
 * A compact JSON text as block YAML: keys sorted, two spaces, lists not indented, strings quoted wherever YAML 1.1 would
 * read something else. The printer is loaded on first use.
 */
export async function encodeYaml(json: string): Promise<Uint8Array> {
  const { stringify } = await import('yaml')
  const text = stringify(parseTrustedJson(Buffer.from(json)), {
    version: '1.1',
    sortMapEntries: true,
    indentSeq: false,
    lineWidth: 0,
    aliasDuplicateObjects: false,
  })
  return Buffer.from(text)
}
