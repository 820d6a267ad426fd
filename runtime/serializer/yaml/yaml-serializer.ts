import { invariant } from '../../kernel/errors/invariant.ts'
import type { EncodedBody, Serializer } from '../format/serializer-contract.ts'
import { decodeYaml } from './decode-yaml.ts'
import { encodeYaml } from './encode-yaml.ts'

/** YAML: what `json` writes, converted for people. No watch is streamed in it. */
export function createYamlSerializer(json: Serializer): Serializer {
  /** A whole JSON body as YAML: block YAML cannot be made piece by piece, since its keys are sorted. */
  const convert = async (body: EncodedBody): Promise<Uint8Array> => {
    const whole = body instanceof Uint8Array ? body : Buffer.concat([...body.segments()])
    return encodeYaml(Buffer.from(whole).toString())
  }
  return {
    name: 'yaml',
    mediaTypes: ['application/yaml'],
    carriesTables: true,
    streamParameter: undefined,
    supports: () => true,
    decode: (bytes, { limits }) => decodeYaml(bytes, limits),
    encodeDocument: (text) => encodeYaml(text),
    async encodeItem(item, { kind, partial }) {
      return convert(await json.encodeItem(item, { kind, partial }))
    },
    async encodeList(list, metadata, { kind, partial }) {
      return convert(await json.encodeList(list, metadata, { kind, partial }))
    },
    eventEncoder() {
      invariant(false, 'YAML is not offered for watches')
    },
  }
}
