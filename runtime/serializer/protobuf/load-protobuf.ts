import type { ProtobufTables } from '../../kernel/descriptors/protobuf-tables.ts'
import type { ProtobufCodec } from './protobuf-codec.ts'

/** The codec over the tables of a scheme. Its code is imported on first use: most processes never need it. */
export async function loadProtobuf(tables: ProtobufTables): Promise<ProtobufCodec> {
  const { createProtobufCodec: createProtobuf } = await import('./protobuf-codec.ts')
  return createProtobuf(tables)
}
