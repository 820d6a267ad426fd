import type { MessageTables } from '../kernel/messages.ts'
import type { Protobuf } from './protobuf/protobuf.ts'

/** A codec over the tables of a tree. Its code is loaded on first use, as YAML's is: most processes never need it. */
export async function loadProtobuf(tables: MessageTables): Promise<Protobuf> {
  const { createProtobuf } = await import('./protobuf/protobuf.ts')
  return createProtobuf(tables)
}
