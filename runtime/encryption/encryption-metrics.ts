import type { Clock } from '../kernel/async/clock.ts'
import type { Metrics } from '../observe/observe.ts'
import type { GroupResource } from './encryption-rules.ts'
import { storedMark } from './providers/provider.ts'

/** Which way a value goes. */
export type Direction = 'to_storage' | 'from_storage'

/** Counts what is encrypted and decrypted. */
export interface EncryptionMetrics {
  /** Runs `work`, which encrypts or decrypts a value of this resource by this method; counts it, and how it ended. */
  count<T>(direction: Direction, resource: GroupResource, method: string, work: () => T): T
}

/** Counts in the metrics of a server; a server without any counts nothing. */
export function encryptionMetrics(metrics: Metrics | undefined, clock: Clock): EncryptionMetrics {
  if (metrics === undefined) return { count: (_direction, _resource, _method, work) => work() }
  const operations = metrics.counter('apiserver_storage_transformation_operations_total')
  const durations = metrics.histogram('apiserver_storage_transformation_duration_seconds')
  return {
    count(direction, resource, method, work) {
      const labels = [nameOf(resource), direction, `${storedMark}${method}:`]
      const start = clock.monotonic()
      const end = (status: string): void => {
        durations.observe(labels, (clock.monotonic() - start) / 1000)
        operations.add([...labels, status])
      }
      try {
        const result = work()
        if (result instanceof Promise)
          result.then(
            () => end('OK'),
            () => end('Unknown'),
          )
        else end('OK')
        return result
      } catch (error) {
        end('Unknown')
        throw error
      }
    },
  }
}

/** `secrets` or `deployments.apps`. */
function nameOf({ group, resource }: GroupResource): string {
  return group === '' ? resource : `${resource}.${group}`
}
