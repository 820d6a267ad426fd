import type { Node } from '../../../generated/apis/core/v1/node.ts'
import { csiNodes } from '../../../generated/apis/storage/v1/csi-node.ts'
import type { Client } from '../../client/client.ts'
import { isStatus } from '../../kernel/errors/status-error.ts'
import type { Stored } from '../../kernel/meta/object.ts'

/** Makes the object in which drivers of volumes say that they are on this node. One that is there is left alone. */
export async function registerCsiNode(client: Client, node: Stored<Node>): Promise<void> {
  const { name, uid } = node.metadata
  try {
    const owner = { apiVersion: 'v1', kind: 'Node', name, uid }
    const metadata = { name, ownerReferences: [owner] }
    await client.resource(csiNodes).create({ metadata, spec: { drivers: [] } })
  } catch (error) {
    if (!isStatus(error, 'AlreadyExists')) throw error
  }
}
