/** How the API server finds the metrics API. */
import { type APIService, apiServices } from '../../generated/apis/apiregistration/v1.ts'
import { services } from '../../generated/apis/core/v1/service.ts'
import type { Client } from '../client/client.ts'
import { groupNames, type Platform } from '../kernel/descriptors/platform.ts'
import { isStatus } from '../kernel/errors/status-error.ts'
import type { Stored } from '../kernel/meta/object.ts'
import { servedVersion } from './resource-request.ts'

/** Where the metrics API listens on the machine of the API server, and who vouches for its certificate. */
export interface Registration {
  readonly client: Client
  readonly platform: Platform
  readonly port: number
  /** In PEM. */
  readonly authority: string
}

/** The service that stands for the metrics API. */
export function metricsServiceName({ prefix }: Pick<Platform, 'prefix'>) {
  return { namespace: `${prefix}-system`, name: 'metrics-api' }
}

/** The label of what was made here, and is taken away again. */
const madeHere = ({ domain }: Platform) => ({ [`app.${domain}/managed-by`]: 'orch-up' })

/**
 * Has the API server pass the group on: to `localhost`, for both run on one machine. Group versions that others have registered stay theirs.
 * Resolves to the names of those. The returned function takes back what was registered.
 */
export async function registerMetricsApi(
  registration: Registration,
): Promise<{ readonly taken: readonly string[]; unregister(): Promise<void> }> {
  const { client, platform } = registration
  const all = client.resource(apiServices)
  const wanted = groupNames('metrics', platform).map((group) => apiServiceOf(group, registration))
  const found = await Promise.all(wanted.map(({ metadata }) => all.find(metadata.name)))
  const isTaken = (index: number): boolean => {
    const known = found[index]
    return known !== undefined && !isOurs(known, platform)
  }
  const own = wanted.filter((_, index) => !isTaken(index))
  if (own.length > 0) await applyService(registration)
  for (const one of own) await all.apply(one, { force: true })
  return {
    taken: wanted.filter((_, index) => isTaken(index)).map(({ metadata }) => metadata.name),
    async unregister() {
      for (const { metadata } of own) await all.delete(metadata.name).catch(ignoreMissing)
      if (own.length > 0) {
        await client.resource(services).delete(metricsServiceName(platform)).catch(ignoreMissing)
      }
    },
  }
}

function isOurs({ metadata }: Stored<APIService>, platform: Platform): boolean {
  const wanted = Object.entries(madeHere(platform))
  return wanted.every(([key, value]) => metadata.labels?.[key] === value)
}

function applyService({ client, platform }: Registration): Promise<unknown> {
  const { namespace, name } = metricsServiceName(platform)
  const metadata = { name, labels: madeHere(platform) }
  const spec = { type: 'ExternalName', externalName: 'localhost' } as const
  return client.resource(services).in(namespace).apply({ metadata, spec }, { force: true })
}

function apiServiceOf(group: string, { platform, port, authority }: Registration) {
  return {
    metadata: { name: `${servedVersion}.${group}`, labels: madeHere(platform) },
    spec: {
      ...{ group, version: servedVersion, groupPriorityMinimum: 100, versionPriority: 100 },
      service: { ...metricsServiceName(platform), port },
      caBundle: Buffer.from(authority).toString('base64'),
    },
  }
}

function ignoreMissing(error: unknown): void {
  if (!isStatus(error, 'NotFound')) throw error
}
