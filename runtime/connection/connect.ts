import { platform } from '../../generated/platform.ts'
import { publicNames } from '../../generated/well-known.ts'
import { type Client, type ClientOptions, createClient, httpTransport } from '../client/client.ts'
import { loadConfig } from './load-config.ts'
import type { ConfigSelection } from './selection.ts'

/** What of an orchconfig counts, and how the client behaves. */
export interface ConnectOptions extends ClientOptions, ConfigSelection {}

/**
 * A client for the server and the user that an orchconfig names: a file, a list of files as variables hold it
 * (`a:b`), or an array of files. Without one, the files that `ORCHCONFIG` or `KUBECONFIG` name, the cluster around this
 * process, or the file `config` in `~/.orch` or `~/.kube`, whichever there is first. Nothing is sent until a verb is called.
 *
 * @throws StatusError `BadRequest` if a file cannot be read or lacks something: each mistake with its place.
 * @example const client = await connect(undefined, { context: 'staging', manager: 'my-operator' })
 */
export async function connect(
  files?: string | readonly string[],
  options: ConnectOptions = {},
): Promise<Client> {
  const config = await loadConfig(files, options)
  const transport = httpTransport(config, options.clock)
  const namespace = options.namespace ?? config.namespace
  return createClient(transport, { platform, publicNames, ...options, namespace })
}
