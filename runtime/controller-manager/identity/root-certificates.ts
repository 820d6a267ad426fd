import { type ConfigMap, configMaps } from '../../../generated/apis/core/v1/config-map.ts'
import { type Namespace, namespaces } from '../../../generated/apis/core/v1/namespace.ts'
import type { Platform } from '../../kernel/descriptors/platform.ts'
import { isStatus } from '../../kernel/errors/status-error.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { capitalized } from '../../kernel/values/capitalized.ts'
import { again, done, type KeyController, watching } from '../../reconcile/reconcile.ts'
import type { BuildContext } from '../contract/build-controller.ts'

/**
 * Gives each active namespace the config map that pods know the server by (T-15, O-10). Runs only where the certificates are known.
 *
 *   reads    Namespace, ConfigMap of that name
 *   writes   ConfigMap: create, update
 *   wakes    when a namespace appears or changes its phase, and when such a config map changes or goes
 *   settles  when every active namespace has the certificates
 */
export async function rootCertificatesController({
  name,
  platform,
  rootCertificates,
  metrics,
}: BuildContext): Promise<readonly KeyController[]> {
  if (rootCertificates === undefined) return []
  const mapName = `${platform.prefix}-root-ca.crt`
  const total = metrics.counter('root_ca_cert_publisher_sync_total')
  const duration = metrics.histogram('root_ca_cert_publisher_sync_duration_seconds')
  return [
    {
      name,
      concurrency: 1,
      watches: [
        watching(namespaces, ({ metadata }) => [{ name: metadata.name }], { fields: ['status'] }),
        watching(configMaps, ({ metadata }) => [{ name: metadata.namespace }], {
          fieldSelector: `metadata.name=${mapName}`,
        }),
      ],
      async reconcile(key, { client, cached, clock }) {
        const begun = clock.monotonic()
        const synced = (code: string): void => {
          total.add([code])
          duration.observe([code], (clock.monotonic() - begun) / 1000)
        }
        const wanted = certificatesMap(platform, rootCertificates())
        const found = cached(configMaps).get({ namespace: key.name, name: mapName })
        const plan = decideMap(cached(namespaces).get(key), found, wanted)
        const maps = client.resource(configMaps).in(key.name)
        try {
          if (plan === 'create') await maps.create(wanted)
          if (plan === 'update' && found !== undefined) await maps.update(updated(found, wanted))
          synced('200')
        } catch (error) {
          synced(isStatus(error) ? String(error.code) : '500')
          if (isStatus(error, 'Conflict')) return again(0, 'it has changed meanwhile')
          const isSettled = isStatus(error, 'AlreadyExists') || isStatus(error, 'NotFound')
          const isGoing = isStatus(error, 'Forbidden') && plan === 'create'
          if (!isSettled && !isGoing) throw error
        }
        return done
      },
    },
  ]
}

type WantedMap = Pick<ConfigMap, 'metadata' | 'data'>

/** The config map of the certificates. */
function certificatesMap({ prefix, domain, brand }: Platform, pem: string): WantedMap {
  const description =
    `Contains a CA bundle that can be used to verify the ${prefix}-apiserver when using internal endpoints such as the internal ` +
    `service IP or ${brand}.default.svc. No other usage is guaranteed across distributions of ${capitalized(brand)} clusters.`
  const annotations = { [`${domain}/description`]: description }
  return {
    metadata: { name: `${prefix}-root-ca.crt`, annotations },
    data: { 'ca.crt': pem },
  } as WantedMap
}

/** What is to be done about the config map of a namespace. */
export function decideMap(
  namespace: Stored<Namespace> | undefined,
  found: Stored<ConfigMap> | undefined,
  wanted: WantedMap,
): 'create' | 'update' | 'keep' {
  if (namespace?.status?.phase !== 'Active') return 'keep'
  if (found === undefined) return 'create'
  const { data = {}, metadata } = found
  const names = Object.keys(data)
  const hasData = names.length === 1 && data['ca.crt'] === wanted.data?.['ca.crt']
  const [description = ''] = Object.keys(wanted.metadata.annotations ?? {})
  return hasData && metadata.annotations?.[description] ? 'keep' : 'update'
}

function updated(found: Stored<ConfigMap>, { metadata, data }: WantedMap): Stored<ConfigMap> {
  const annotations = { ...found.metadata.annotations, ...metadata.annotations }
  return { ...found, metadata: { ...found.metadata, annotations }, ...(data && { data }) }
}
