import { invariant } from '../../kernel/errors/invariant.ts'
import { apiVersionOf } from '../../kernel/meta/object.ts'
import type { Serializer, StoredItem } from '../format/serializer-contract.ts'
import { partialMetadataJson } from '../json/partial-metadata.ts'
import { decodeYaml } from './decode-yaml.ts'
import { encodeYaml, encodeYamlList } from './encode-yaml.ts'

/** YAML, for people: the keys of all objects are sorted. No watch is streamed in it. */
export function createYamlSerializer(): Serializer {
  return {
    name: 'yaml',
    mediaTypes: ['application/yaml'],
    carriesTables: true,
    streamParameter: undefined,
    supports: () => true,
    decode: (bytes, { limits }) => decodeYaml(bytes, limits),
    encodeDocument: (text) => encodeYaml(text),
    encodeItem(item, { partial }) {
      return encodeYaml(partial === undefined ? item.bytes : partialMetadataJson(item, partial))
    },
    encodeList({ items }, metadata, { kind, partial }) {
      if (partial !== undefined) {
        const head = { kind: 'PartialObjectMetadataList', apiVersion: partial, metadata }
        return encodeYamlList(head, partialItems(items, partial), {})
      }
      const apiVersion = apiVersionOf(kind)
      const shared = kind.customResource === undefined ? { kind: kind.kind, apiVersion } : {}
      const bytes = items.map((item) => item.bytes)
      return encodeYamlList({ kind: kind.listKind, apiVersion, metadata }, bytes, shared)
    },
    eventEncoder() {
      invariant(false, 'YAML is not offered for watches')
    },
  }
}

/** The metadata of each item, made when it is asked for. */
function* partialItems(items: readonly StoredItem[], apiVersion: string): Iterable<Uint8Array> {
  for (const item of items) yield Buffer.from(partialMetadataJson(item, apiVersion))
}
