import type { ProtobufTables } from '../../kernel/descriptors/protobuf-tables.ts'
import type { ProtobufCodec } from './protobuf-codec.ts'

/** The codec over the tables of a scheme. Its code is imported on first use: most processes never need it. */
export async function loadProtobuf(tables: ProtobufTables): Promise<ProtobufCodec> {
  const { createProtobufCodec: createProtobuf } = await import('./protobuf-codec.ts')
  return createProtobuf(tables)
}

/** The wire format itself, for messages of other programs. Imported on first use, too. */
export async function loadWireFormat(): Promise<WireFormat> {
  const [{ WireReader }, { WireWriter }] = await Promise.all([
    import('./wire-reader.ts'),
    import('./wire-writer.ts'),
  ])
  return { WireReader, WireWriter }
}

/** What reads and writes the wire format. */
export interface WireFormat {
  readonly WireReader: typeof import('./wire-reader.ts').WireReader
  readonly WireWriter: typeof import('./wire-writer.ts').WireWriter
}
