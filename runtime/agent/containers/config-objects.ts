import { type ConfigMap, configMaps } from '../../../generated/apis/core/v1/config-map.ts'
import { type Secret, secrets } from '../../../generated/apis/core/v1/secret.ts'
import type { Client } from '../../client/client.ts'
import { ConfigError } from './config-error.ts'

/** The entries of a config map or secret. */
export type Entries = ReadonlyMap<string, Buffer>

/** Where config maps and secrets come from. */
export interface ConfigObjects {
  /** Undefined if there is none. */
  configMap(namespace: string, name: string): Promise<Entries | undefined>
  secret(namespace: string, name: string): Promise<Entries | undefined>
}

/** Those of the server, as they are now. */
export function serverConfigObjects(client: Client): ConfigObjects {
  return {
    async configMap(namespace, name) {
      const found = await client.resource(configMaps).in(namespace).find(name)
      return found && entriesOfMap(found)
    },
    async secret(namespace, name) {
      const found = await client.resource(secrets).in(namespace).find(name)
      return found && entriesOfSecret(found)
    },
  }
}

/** An agent without a server has none. */
export const noConfigObjects: ConfigObjects = {
  async configMap() {
    throw new ConfigError('config maps can be had from an API server only')
  },
  async secret() {
    throw new ConfigError('secrets can be had from an API server only')
  },
}

function entriesOfMap({ data = {}, binaryData = {} }: ConfigMap): Entries {
  return new Map([
    ...Object.entries(data).map(([key, text]) => [key, Buffer.from(text)] as const),
    ...Object.entries(binaryData).map(([key, text]) => [key, Buffer.from(text, 'base64')] as const),
  ])
}

function entriesOfSecret({ data = {} }: Secret): Entries {
  return new Map(
    Object.entries(data).map(([key, text]) => [key, Buffer.from(text, 'base64')] as const),
  )
}
