import type { ProtobufTables } from '../../kernel/descriptors/protobuf-tables.ts'
import type { ProtobufCodec } from './protobuf-codec.ts'

/** A codec over the tables of a tree. Its code is loaded on first use, as YAML's is: most processes never need it. */
export async function loadProtobuf(tables: ProtobufTables): Promise<ProtobufCodec> {
  const { createProtobufCodec: createProtobuf } = await import('./protobuf-codec.ts')
  return createProtobuf(tables)
}
