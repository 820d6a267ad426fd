import { invariant } from '../../kernel/errors/invariant.ts'
import { apiVersionOf } from '../../kernel/meta/object.ts'
import type { Serializer, StoredItem } from '../format/serializer-contract.ts'
import { partialMetadataJson } from '../json/partial-metadata.ts'
import { decodeYaml } from './decode-yaml.ts'
import { encodeYaml, encodeYamlList, yamlListPieces } from './encode-yaml.ts'

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
    encodeList({ items, parts }, metadata, { kind, partial }) {
      const apiVersion = partial ?? apiVersionOf(kind)
      const type = partial === undefined ? kind.listKind : 'PartialObjectMetadataList'
      const isShared = partial === undefined && kind.customResource === undefined
      const shared = isShared ? { kind: kind.kind, apiVersion } : {}
      const head = { kind: type, apiVersion, metadata }
      const bytes = (some: readonly StoredItem[]) => itemBytes(some, partial)
      if (parts === undefined) return encodeYamlList(head, bytes(items), shared)
      return { pieces: () => yamlListPieces(head, each(parts(), bytes), shared) }
    },
    eventEncoder() {
      invariant(false, 'YAML is not offered for watches')
    },
  }
}

/** The JSON of each item, or of its metadata, made when it is asked for. */
function* itemBytes(
  items: readonly StoredItem[],
  partial: string | undefined,
): Iterable<Uint8Array> {
  for (const item of items) {
    yield partial === undefined ? item.bytes : Buffer.from(partialMetadataJson(item, partial))
  }
}

async function* each<T, R>(all: AsyncIterable<T>, make: (one: T) => R): AsyncIterable<R> {
  for await (const one of all) yield make(one)
}
