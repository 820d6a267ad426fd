import type { StoredItem } from '../format/serializer-contract.ts'
import { rawJsonAt, rawPath } from './raw-value.ts'

const metadataPath = rawPath('metadata')

/** An object's metadata as the JSON text of a PartialObjectMetadata; nothing of the object is parsed. */
export function partialMetadataJson({ bytes }: StoredItem, apiVersion: string): string {
  const head = `{"kind":"PartialObjectMetadata","apiVersion":${JSON.stringify(apiVersion)}`
  return `${head},"metadata":${rawJsonAt(bytes, metadataPath)?.toString() ?? '{}'}}`
}
