import type { Cluster, ServerGroup } from './cluster.ts'
import type { Costs } from './costs.ts'

/** What a server of a group needs, without any request. */
export interface ServerNeeds {
  readonly keptObjects: number
  readonly memoryMiB: number
  readonly startSeconds: number
}

const mebibyte = 1024 * 1024

/** Memory and start of a server: what it keeps decides. */
export function serverNeeds(
  { resources }: Cluster,
  { keeps }: ServerGroup,
  costs: Costs,
): ServerNeeds {
  const kept = resources.filter(({ name }) => keeps.includes(name))
  const objects = sum(kept.map((one) => one.objects))
  const bytes = sum(kept.map((one) => one.objects * (one.bytes + costs.keptBytes)))
  return {
    keptObjects: objects,
    memoryMiB: costs.emptyMiB + bytes / mebibyte,
    startSeconds: (objects * costs.startUs) / 1e6,
  }
}

/** Bytes of the database, history apart. */
export function databaseMiB({ resources }: Cluster, { storedBytes }: Costs): number {
  return sum(resources.map(({ objects, bytes }) => objects * (bytes + storedBytes))) / mebibyte
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
