import type { Key } from '../../client/client.ts'
import type { LeaderElectionOptions, ShardEntry, ShardGroup } from '../../election/election.ts'
import { parseKey } from '../../informer/informer.ts'
import type { Cluster } from '../controller/cluster.ts'

/** What the keys of a manager are shared by. */
export interface ShardingSettings
  extends Omit<
    LeaderElectionOptions,
    'client' | 'clock' | 'log' | 'metrics' | 'random' | 'labels' | 'name'
  > {
  /** The name of the group: all processes that share the work name the same one. Lower-case letters, digits and hyphens, 50 at most. */
  readonly name: string
  /** Into how many shards the keys are divided, the same number in all processes: 256 at most. Default 32. */
  readonly shards?: number
  /**
   * What is hashed: the whole key, its namespace, so that one process has all keys of a namespace, or what a function gives of a key. All
   * processes use the same. Default `key`.
   */
  readonly by?: 'key' | 'namespace' | ShardBy
}

/** What is hashed of a key, under a name: processes whose names differ do not work together. */
export interface ShardBy {
  readonly name: string
  readonly of: (key: Key, controller: string) => string
}

/** Which keys of a controller this process has. */
export interface KeyShards {
  holds(item: string): boolean
  /** Begins work over a key; undefined where another process has it. */
  enter(item: string): ShardEntry | undefined
}

/** The name of what is hashed, as the group compares it. */
export function divisionName({ by = 'key' }: ShardingSettings): string {
  return typeof by === 'string' ? by : by.name
}

/** What is hashed of a key. The same key of two clusters is two texts. */
export function shardText(
  { by = 'key' }: ShardingSettings,
  item: string,
  controller: string,
  { name }: Cluster,
): string {
  const own = name === '' ? '' : `${name} `
  if (by === 'key') return own + item
  const key = parseKey(item)
  return own + (by === 'namespace' ? (key.namespace ?? key.name) : by.of(key, controller))
}

/** The keys of one controller in a cluster that a member of the group has. */
export function keyShards(
  group: ShardGroup,
  settings: ShardingSettings,
  controller: string,
  cluster: Cluster,
): KeyShards {
  const textOf = (item: string): string => shardText(settings, item, controller, cluster)
  return {
    holds: (item) => group.holds(textOf(item)),
    enter: (item) => group.enter(textOf(item)),
  }
}
