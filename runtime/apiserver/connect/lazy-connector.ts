import type { Connector } from '../../server/server.ts'
import type { ConnectorOptions } from './connector.ts'

/** A connector whose code is loaded with the first request. */
export function lazyConnector(options: ConnectorOptions): Connector {
  let loading: Promise<Connector> | undefined
  return async (call) => {
    loading ??= import('./connector.ts').then(({ createConnector }) => createConnector(options))
    return (await loading)(call)
  }
}
