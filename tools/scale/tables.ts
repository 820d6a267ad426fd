import { seededRandom } from '../../runtime/kernel/async/seeded-random.ts'
import { type Cluster, plans } from './cluster.ts'
import { measured } from './measured.ts'
import { databaseMiB, serverNeeds } from './paper.ts'
import { simulate } from './simulation.ts'

/** The simulated time, and what it begins with: the same run each time. */
const seconds = 10
const seed = 1

/** The figures of every plan, as tables of Markdown. */
export function scaleTables(): string {
  const results = Object.entries(plans).map(
    ([name, cluster]) =>
      [name, cluster, simulate(cluster, measured, seconds, seededRandom(seed))] as const,
  )
  const servers = results.flatMap(([name, cluster, { busy }]) =>
    cluster.groups.map((group) => {
      const { keptObjects, memoryMiB, startSeconds } = serverNeeds(cluster, group, measured)
      return [
        name,
        group.name,
        whole(keptObjects),
        gibibytes(memoryMiB),
        `${startSeconds.toFixed(1)} s`,
        share(busy.get(group.name) ?? 0),
      ]
    }),
  )
  const requests = results.flatMap(([name, , { delays }]) =>
    [...delays]
      .sort(([one], [other]) => one.localeCompare(other))
      .map(([kind, { p50, p99 }]) => [name, kind, `${p50.toFixed(1)} ms`, `${p99.toFixed(1)} ms`]),
  )
  const databases = results.map(([name, cluster, { databaseBusy }]) => [
    name,
    gibibytes(databaseMiB(cluster, measured)),
    share(databaseBusy),
  ])
  return [
    table(['resource', 'objects', 'bytes', 'gets/s', 'pages/s', 'writes/s'], asked(plans)),
    table(
      ['plan', 'group', 'objects kept', 'memory of a server', 'start, processor', 'busy'],
      servers,
    ),
    table(['plan', 'request', 'half within', '99 % within'], requests),
    table(['plan', 'database', `busy, of ${results[0]?.[1].databaseCores} processors`], databases),
  ].join('\n\n')
}

function asked(all: Readonly<Record<string, Cluster>>): readonly (readonly string[])[] {
  const [first] = Object.values(all)
  return (first?.resources ?? []).map((one) => [
    one.name,
    ...[one.objects, one.bytes, one.gets, one.pages, one.writes].map(whole),
  ])
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return [heads, heads.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

function whole(value: number): string {
  return value.toLocaleString('en')
}

function gibibytes(mebibytes: number): string {
  return `${(mebibytes / 1024).toFixed(1)} GiB`
}

function share(value: number): string {
  return `${(value * 100).toFixed(0)} %`
}
