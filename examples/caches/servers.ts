import type { Stored } from 'orch'
import type { StatefulSetSpec } from 'orch/generated/apis/apps/v1/stateful-set'
import type { ServiceSpec } from 'orch/generated/apis/core/v1/service'
import type { Cache } from './generated/apis/caches/v1/cache.ts'

/** Labels by which the servers of a cache are found. */
export function labelsOf({ metadata }: Stored<Cache>): Record<string, string> {
  return { 'caches.example.com/cache': metadata.name }
}

/** What the servers read when they start. */
export function settingsOf({ spec }: Stored<Cache>): Record<string, string> {
  const policy = spec.eviction === 'Oldest' ? 'volatile-ttl' : 'volatile-lru'
  return { 'cache.conf': `maxmemory-policy ${policy}\n` }
}

/** The name by which each server is reached. */
export function serviceSpec(cache: Stored<Cache>): ServiceSpec {
  return {
    clusterIP: 'None',
    selector: labelsOf(cache),
    ports: [{ name: 'cache', port: 6379, targetPort: 'cache' }],
  }
}

/** The servers of a cache. */
export function serversSpec(cache: Stored<Cache>): StatefulSetSpec {
  const { name } = cache.metadata
  const { servers, limits } = cache.spec
  const labels = labelsOf(cache)
  return {
    replicas: servers,
    serviceName: name,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        containers: [
          {
            name: 'cache',
            image: 'redis:7',
            args: ['/etc/cache/cache.conf'],
            ports: [{ name: 'cache', containerPort: 6379 }],
            ...(limits?.memory !== undefined && {
              resources: { limits: { memory: limits.memory } },
            }),
            volumeMounts: [{ name: 'settings', mountPath: '/etc/cache' }],
          },
        ],
        volumes: [{ name: 'settings', configMap: { name } }],
      },
    },
  }
}
