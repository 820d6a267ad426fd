import { type Client, type ClientOptions, createClient } from './create-client.ts'
import { httpTransport } from './http-transport.ts'
import { loadConfig } from './orchconfig.ts'

/**
 * A client for the server and the user that an orchconfig file names. Nothing is sent until a verb is called.
 *
 * @throws StatusError `BadRequest` if the file cannot be read or lacks something.
 * @example const client = await connect(process.env.ORCHCONFIG, { manager: 'my-operator' })
 */
export async function connect(file: string, options: ClientOptions = {}): Promise<Client> {
  const config = await loadConfig(file)
  return createClient(httpTransport(config), { namespace: config.namespace, ...options })
}
