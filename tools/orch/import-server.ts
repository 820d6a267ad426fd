/** The definitions of a running server. */
import { customResourceDefinitions } from '../../generated/apis/apiextensions/v1/custom-resource-definition.ts'
import { connect } from '../../runtime/connection/connection.ts'

/** Which server, as an orchconfig names it: without a file, those of the variables and of the home folder count. */
export interface ServerSource {
  readonly files?: string
  readonly context?: string
}

/** Definitions may be large: so many are read at a time. */
const pageSize = 50

/**
 * Every CustomResourceDefinition of a server.
 *
 * @throws StatusError if the server cannot be reached, or does not let them be read.
 */
export async function definitionsOfServer({ files, context }: ServerSource) {
  const client = await connect(files, {
    manager: 'orch-import',
    ...(context !== undefined && { context }),
  })
  try {
    const { items } = await client.resource(customResourceDefinitions).listAll({ pageSize })
    return items
  } finally {
    await client.close()
  }
}
