import type { X509Certificate } from 'node:crypto'
import { readCertificates } from '../../certificates/certificates.ts'
import type { Client } from '../../client/client.ts'
import type { AnyKind, Kind } from '../../kernel/descriptors/kind.ts'
import type { Scheme } from '../../kernel/descriptors/scheme.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import {
  again,
  done,
  type EventSource,
  type KeyController,
  watching,
} from '../../reconcile/reconcile.ts'
import { ignoreLostRace } from '../contract/lost-race.ts'

/** By whom the server knows who asks: what other servers of the cluster need to know it in the same way (O-03). */
export interface ClusterAuthentication {
  /** Who vouches for users. */
  readonly clients: readonly X509Certificate[]
  /** Who vouches for proxies; the rest is about them. */
  readonly proxies: readonly X509Certificate[]
  readonly allowedNames: readonly string[]
  readonly usernameHeaders: readonly string[]
  readonly groupHeaders: readonly string[]
  readonly extraHeaderPrefixes: readonly string[]
}

/** What is published, and where. */
export interface ClusterAuthenticationOptions {
  readonly kind: AnyKind
  readonly namespace: string
  readonly current: () => ClusterAuthentication
  /** Wakes the controller when `current` gives something else. */
  readonly changes: EventSource
}

/** The kind of config maps, if a scheme has it. */
export function configMapKind({ routes }: Scheme): AnyKind | undefined {
  return Object.hasOwn(routes, 'api/v1/configmaps') ? routes['api/v1/configmaps'] : undefined
}

const name = 'extension-apiserver-authentication'
const retryMs = 1000

interface ConfigMap extends ApiObject {
  readonly data?: Readonly<Record<string, string>>
}

/**
 * The config map by which other servers of the cluster know clients and proxies as this one does. Servers that share a store add to it;
 * certificates that have run out go.
 *
 *   reads    ConfigMap: one of them
 *   writes   the same: create, update
 *   wakes    when it changes, and when the files of authorities do
 *   settles  when it names what this server trusts
 */
export function clusterAuthenticationController(
  options: ClusterAuthenticationOptions,
): KeyController {
  const key = { namespace: options.namespace, name }
  const scope = { namespace: options.namespace, fieldSelector: `metadata.name=${name}` }
  return {
    name: 'cluster-authentication',
    watches: [watching(options.kind, () => [key], scope)],
    seeds: [key],
    sources: [options.changes],
    async reconcile(_, { client, clock, log }) {
      try {
        await syncClusterAuthentication(options, client, clock.now())
        return done
      } catch (error) {
        log.warn('what proxies are known by is not published', { reason: String(error) })
        return again(retryMs)
      }
    },
  }
}

/** Writes the config map, unless it is as it should be. */
export async function syncClusterAuthentication(
  {
    kind,
    namespace,
    current,
  }: Pick<ClusterAuthenticationOptions, 'kind' | 'namespace' | 'current'>,
  client: Client,
  now: number,
): Promise<void> {
  const resource = client.resource(kind as Kind<ConfigMap>)
  const stored = await resource.find({ namespace, name })
  const data = decideClusterAuthentication(stored?.data ?? {}, current(), now)
  if (deepEqual(data, stored?.data ?? {})) return
  if (stored === undefined) {
    await ignoreLostRace(resource.create({ metadata: { namespace, name }, data } as never))
  } else {
    await ignoreLostRace(resource.update({ ...stored, data }))
  }
}

/** The data of the config map: what is there already, and what this server trusts. */
export function decideClusterAuthentication(
  stored: Readonly<Record<string, string>>,
  own: ClusterAuthentication,
  now: number,
): Readonly<Record<string, string>> {
  const clients = joined(stored['client-ca-file'], own.clients, now)
  const proxies = joined(stored['requestheader-client-ca-file'], own.proxies, now)
  const list = (key: string, values: readonly string[]) =>
    JSON.stringify([...new Set([...listed(stored[`requestheader-${key}`]), ...values])])
  return {
    ...(clients !== '' && { 'client-ca-file': clients }),
    ...(proxies !== '' && {
      'requestheader-allowed-names': list('allowed-names', own.allowedNames),
      'requestheader-client-ca-file': proxies,
      'requestheader-extra-headers-prefix': list('extra-headers-prefix', own.extraHeaderPrefixes),
      'requestheader-group-headers': list('group-headers', own.groupHeaders),
      'requestheader-username-headers': list('username-headers', own.usernameHeaders),
    }),
  }
}

/** The certificates of a text and further ones, each once, without those that have run out. */
function joined(text: string | undefined, more: readonly X509Certificate[], now: number): string {
  const known = text === undefined ? [] : readCertificates(text).certificates
  const valid = [...known, ...more].filter((one) => Date.parse(one.validTo) > now)
  return [...new Set(valid.map(String))].join('')
}

/** What cannot be read counts as nothing. */
function listed(text: string | undefined): readonly string[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
  } catch {
    return []
  }
}
