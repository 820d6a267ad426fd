import { type ConfigMap, configMaps } from '../../generated/apis/core/v1/config-map.ts'
import type { Client } from '../client/client.ts'
import { type Clock, pause } from '../kernel/async/clock.ts'
import type { Platform } from '../kernel/descriptors/platform.ts'
import { errorText } from '../kernel/errors/error-text.ts'
import type { Log } from '../observe/observe.ts'

/** By whom a cluster knows users and proxies, as its server publishes it. */
export interface ClusterTrust {
  /** Certificates of the authorities of users, and of proxies, in PEM; undefined where there are none. */
  readonly clients: string | undefined
  readonly proxies: string | undefined
  /** What proxies may be called, and in which headers they name users. */
  readonly allowedNames: readonly string[]
  readonly usernameHeaders: readonly string[]
  readonly groupHeaders: readonly string[]
  readonly extraHeaderPrefixes: readonly string[]
}

/** What trust is followed with. */
export interface FollowOptions {
  readonly client: Client
  readonly platform: Pick<Platform, 'prefix'>
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
}

const name = 'extension-apiserver-authentication'

/** Milliseconds until what cannot be followed is tried again. */
const retryMs = 10_000

/** Reads whom the cluster trusts, and calls `use` with each later state until `signal` aborts. @throws StatusError if it cannot be read. */
export async function followClusterTrust(
  options: FollowOptions,
  use: (trust: ClusterTrust) => void,
): Promise<ClusterTrust> {
  const { client, platform, signal } = options
  const maps = client.resource(configMaps).in(`${platform.prefix}-system`)
  const found = await maps.get(name, signal)
  void follow(options, (map) => use(trustOf(map)))
  return trustOf(found)
}

async function follow(
  { client, platform, clock, log, signal }: FollowOptions,
  use: (map: ConfigMap) => void,
): Promise<void> {
  const maps = client.resource(configMaps).in(`${platform.prefix}-system`)
  while (!signal.aborted) {
    try {
      const watched = maps.watch({ fieldSelector: `metadata.name=${name}` }, signal)
      for await (const event of watched) {
        if (event.type === 'ADDED' || event.type === 'MODIFIED') use(event.object)
      }
    } catch (error) {
      if (signal.aborted) return
      log.warn('whom the cluster trusts cannot be followed', { reason: errorText(error) })
    }
    await pause(clock, retryMs, signal)
  }
}

function trustOf({ data = {} }: ConfigMap): ClusterTrust {
  const pem = (key: string): string | undefined => data[key] || undefined
  return {
    clients: pem('client-ca-file'),
    proxies: pem('requestheader-client-ca-file'),
    allowedNames: listed(data['requestheader-allowed-names']),
    usernameHeaders: listed(data['requestheader-username-headers']),
    groupHeaders: listed(data['requestheader-group-headers']),
    extraHeaderPrefixes: listed(data['requestheader-extra-headers-prefix']),
  }
}

/** A list in JSON; what cannot be read counts as nothing. */
function listed(text: string | undefined): readonly string[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
  } catch {
    return []
  }
}
