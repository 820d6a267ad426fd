import type { ShardReport } from '../election/election.ts'
import type {
  ControllerReport,
  KeyReport,
  LeaseReport,
  ManagerReport,
  UnhealthyCondition,
} from '../reconcile/reconcile.ts'

/** What a manager does, for people: one line a key, columns in line. */
export function printReport(report: ManagerReport): string {
  const { working, synced, lease, sharding, clusters, controllers } = report
  const state = working ? 'working' : synced ? 'waiting for the lease' : 'filling caches'
  const head = [
    state,
    ...(lease === undefined ? [] : [printLease(lease)]),
    ...(sharding === undefined ? [] : printShards(sharding)),
    ...(clusters === undefined ? [] : printClusters(clusters)),
  ]
  const parts = Object.entries(controllers).map(([name, report]) => printController(name, report))
  return [...head, '', ...parts].join('\n')
}

function printLease({ name, identity, holder, token }: LeaseReport): string {
  const who = holder === identity ? 'this process' : (holder ?? 'none')
  const term = token === undefined ? '' : `, term ${token}`
  return `lease ${name}: held by ${who}${term} (this is ${identity})`
}

/** The clusters of a manager, one a line, and why one is not worked in. */
function printClusters(clusters: NonNullable<ManagerReport['clusters']>): readonly string[] {
  const rows = Object.entries(clusters).map(([name, { synced, working, problem = '' }]) => [
    name,
    working ? 'working' : synced ? 'waiting' : 'filling caches',
    problem,
  ])
  return ['clusters:', ...table(rows)]
}

/** The members of a group, one a line, with the shards that each one has. */
function printShards({ name, identity, division, members, shards }: ShardReport): string[] {
  const numbersOf = (member: string | undefined): string =>
    shards
      .filter(({ holder }) => holder === member)
      .map(({ shard, closing }) => (closing ? `${shard} (closing)` : String(shard)))
      .join(' ')
  const holders = [...new Set([...Object.keys(members), ...shards.map(({ holder }) => holder)])]
  const rows = holders.map((member) => [
    `${member ?? 'none'}${member === identity ? ' (this process)' : ''}`,
    String(shards.filter(({ holder }) => holder === member).length),
    numbersOf(member),
  ])
  return [`shards of ${name}: ${division}`, ...table(rows)]
}

function printController(name: string, report: ControllerReport): string {
  const { runs, active, depth, delayed, oldestMs, keys } = report
  const counts = Object.entries(runs).map(([outcome, count]) => `${count} ${outcome}`)
  const oldest = depth > 0 ? `, the oldest for ${duration(oldestMs)}` : ''
  const head = `${name}: ${active} running, ${depth} ready${oldest}, ${delayed} waiting; runs: ${counts.join(', ')}`
  return [head, ...readinessLines(report), ...table(keys.map(row)), ''].join('\n')
}

/** How many objects are ready, and what keeps each of the others from it, one condition a line. */
function readinessLines({ readiness }: ControllerReport): readonly string[] {
  if (readiness === undefined) return []
  const { objects, ready, unready } = readiness
  const rows = Object.entries(unready).flatMap(([key, { observed, unhealthy }]) => [
    ...(observed ? [] : [[key, 'its status speaks of an earlier generation']]),
    ...unhealthy.map((one) => [key, conditionWords(one)]),
  ])
  const more = objects - ready - Object.keys(unready).length
  const rest = more > 0 ? [`  and ${more} more`] : []
  return [`  ${ready} of ${objects} objects ready`, ...table(rows), ...rest]
}

function conditionWords({
  type,
  status,
  reason,
  message,
  meaning,
  forMs,
  overdue,
}: UnhealthyCondition): string {
  const why = reason === '' ? '' : ` ${reason}`
  const words = (message || meaning).replaceAll(/\s+/g, ' ')
  const late = overdue ? ', longer than it should' : ''
  return `${type} is ${status}${why} for ${duration(forMs)}${late}${words === '' ? '' : `: ${words}`}`
}

function row({
  key,
  state,
  forMs,
  dueMs,
  run,
  failures,
  cause,
  last,
}: KeyReport): readonly string[] {
  const due = dueMs === undefined ? '' : `, due in ${duration(dueMs)}`
  const failed =
    failures === undefined ? '' : `${failures} ${failures === 1 ? 'failure' : 'failures'}`
  const woken = cause === undefined ? '' : `woken by ${cause}`
  return [key, `${state} ${duration(forMs)}${due}`, run ?? '', failed, woken, lastOf(last)]
}

function lastOf(last: KeyReport['last']): string {
  if (last === undefined) return ''
  const { run, outcome, why, tookMs, agoMs, writes, cause } = last
  const words = why === undefined ? '' : `: ${why.replaceAll(/\s+/g, ' ')}`
  return `last ${run} ${duration(agoMs)} ago: ${outcome} in ${duration(tookMs)}, ${writes} ${writes === 1 ? 'write' : 'writes'}${words}${cause === undefined ? '' : `; woken by ${cause}`}`
}

/** Rows with columns as wide as their widest cell. */
function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, at) =>
    rows.reduce((most, cells) => Math.max(most, cells[at]?.length ?? 0), 0),
  )
  return rows.map((cells) =>
    `  ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd(),
  )
}

/** Milliseconds in the largest unit that fits: `250ms`, `3.2s`, `14m`, `5h`. */
function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)}ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)}s`
  return ms < 3_600_000 ? `${Math.floor(ms / 60_000)}m` : `${Math.floor(ms / 3_600_000)}h`
}
