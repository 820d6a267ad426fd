import { type Client, type ClientOptions, createClient } from './create-client.ts'
import { httpTransport } from './http-transport.ts'
import { loadConfig } from './orchconfig.ts'

/** A client for the server and the user that an orchconfig file names. */
export async function connect(file: string, options: ClientOptions = {}): Promise<Client> {
  const config = await loadConfig(file)
  return createClient(httpTransport(config), { namespace: config.namespace, ...options })
}
