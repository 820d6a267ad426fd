import type { Scheme } from '../kernel/descriptors/scheme.ts'
import type { Serializer } from './format/serializer-contract.ts'
import { createJsonSerializer } from './json/json-serializer.ts'
import { createProtobufSerializer } from './protobuf/protobuf-serializer.ts'
import { createYamlSerializer } from './yaml/yaml-serializer.ts'

/**
 * The wire formats of a server, in the order in which errors list them; the first is the default. A new format is
 * a folder beside these and a line here.
 */
export function createSerializers(
  scheme: Pick<Scheme, 'platform' | 'protobuf'>,
): readonly Serializer[] {
  const protobuf = createProtobufSerializer(scheme)
  return [
    createJsonSerializer(),
    createYamlSerializer(),
    ...(protobuf === undefined ? [] : [protobuf]),
  ]
}

/** The serializer of a media type, exact or by its suffix: `application/merge-patch+json` is JSON. */
export function serializerOf(
  serializers: readonly Serializer[],
  mediaType: string,
): Serializer | undefined {
  return serializers.find(
    ({ name, mediaTypes }) => mediaTypes.includes(mediaType) || mediaType.endsWith(`+${name}`),
  )
}
