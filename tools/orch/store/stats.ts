import { readFile } from 'node:fs/promises'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import { LogLaws, type StoreDump } from '../../../runtime/store/store.ts'
import { openArchive } from './archive-file.ts'
import { type Call, isStore, Misuse, namedStore } from './call.ts'
import { withProgress } from './progress.ts'
import { bytesText, countText, numberText } from './text.ts'

const clock = systemClock

/** What a store has of one resource. */
interface ResourceStats {
  readonly resource: string
  objects: number
  bytes: number
  /** The bytes of its largest object. */
  largest: number
  /** Changes that are kept as history. */
  changes: number
}

/** What `stats -o json` prints. */
interface Stats {
  readonly at: string
  readonly cluster: string
  readonly revision: number
  readonly compacted: number
  readonly objects: number
  readonly bytes: number
  readonly history: { readonly rows: number; readonly bytes: number }
  readonly disk: Readonly<Record<string, number>>
  readonly resources: readonly ResourceStats[]
}

/** `stats`: what a store holds, and how it grew. */
export async function runStats(call: Call): Promise<number> {
  const { subject, values, terminal } = call
  const earlier = values.since === undefined ? undefined : await readStats(values.since)
  const stats = await statsOf(call)
  if (earlier !== undefined && earlier.cluster !== stats.cluster) {
    throw new Error(`${values.since}: is about another store, ${earlier.cluster}`)
  }
  const growth = earlier && growthOf(earlier, stats)
  if (values.output === 'json') {
    terminal.print(JSON.stringify({ ...stats, ...(growth && { growth }) }, null, 2))
    return 0
  }
  print(terminal, stats)
  if (growth !== undefined) printGrowth(terminal, growth)
  else if (isStore(subject))
    terminal.print('growth: keep stats -o json, and compare with --since FILE')
  return 0
}

async function statsOf(call: Call): Promise<Stats> {
  const { subject } = call
  if (!isStore(subject)) {
    const archive = await openArchive(subject)
    return readAll(archive, { made: archive.header.made, disk: {} }, call)
  }
  const { keeper } = await namedStore(subject)
  const disk = await keeper.sizes({ clock })
  const made = new Date(clock.now()).toISOString()
  return readAll(await keeper.dump({ clock }), { made, disk }, call)
}

/** Reads every row of a dump, and closes it. */
async function readAll(
  dump: StoreDump,
  { made, disk }: { readonly made: string; readonly disk: Stats['disk'] },
  call: Call,
): Promise<Stats> {
  const { state } = dump
  const laws = new LogLaws(state)
  const resources = new Map<string, ResourceStats>()
  let [rows, all] = [0, 0]
  const of = (key: string): ResourceStats => {
    const resource = resourceOf(key)
    const known = resources.get(resource)
    if (known !== undefined) return known
    const added = { resource, objects: 0, bytes: 0, largest: 0, changes: 0 }
    resources.set(resource, added)
    return added
  }
  try {
    for await (const changes of withProgress(dump, call).changes) {
      for (const change of changes) {
        laws.next(change)
        rows += 1
        all += change.value?.byteLength ?? 0
        if (change.revision > state.compacted) of(change.key).changes += 1
      }
    }
  } finally {
    await dump.close()
  }
  for (const [key, { bytes }] of laws.live) {
    const one = of(key)
    one.objects += 1
    one.bytes += bytes
    one.largest = Math.max(one.largest, bytes)
  }
  const bytes = [...resources.values()].reduce((sum, one) => sum + one.bytes, 0)
  return {
    at: made,
    cluster: state.id,
    revision: state.revision,
    compacted: state.compacted,
    objects: laws.live.size,
    bytes,
    history: { rows: rows - laws.live.size, bytes: all - bytes },
    disk,
    resources: [...resources.values()].sort((a, b) => b.bytes - a.bytes),
  }
}

/** `pods` or `deployments.apps`, as keys have them: `/apps/deployments/...`. */
function resourceOf(key: string): string {
  const [, group = '', plural = ''] = key.split('/')
  return group === 'core' ? plural : `${plural}.${group}`
}

async function readStats(file: string): Promise<Stats> {
  try {
    const stats = JSON.parse(await readFile(file, 'utf8')) as Stats
    if (Array.isArray(stats.resources) && typeof stats.at === 'string') return stats
  } catch (error) {
    throw new Error(`${file}: cannot be read: ${(error as Error).message}`, { cause: error })
  }
  throw new Misuse(`--since ${file}: is not what orch store stats -o json prints`)
}

/** How much more there is than before. */
interface Growth {
  readonly since: string
  readonly hours: number
  readonly revisions: number
  readonly objects: number
  readonly bytes: number
  readonly resources: readonly {
    readonly resource: string
    readonly objects: number
    readonly bytes: number
  }[]
}

function growthOf(before: Stats, now: Stats): Growth {
  const former = new Map(before.resources.map((one) => [one.resource, one]))
  const names = new Set([...former.keys(), ...now.resources.map(({ resource }) => resource)])
  const latest = new Map(now.resources.map((one) => [one.resource, one]))
  const resources = [...names].map((resource) => ({
    resource,
    objects: (latest.get(resource)?.objects ?? 0) - (former.get(resource)?.objects ?? 0),
    bytes: (latest.get(resource)?.bytes ?? 0) - (former.get(resource)?.bytes ?? 0),
  }))
  return {
    since: before.at,
    hours: (Date.parse(now.at) - Date.parse(before.at)) / 3_600_000,
    revisions: now.revision - before.revision,
    objects: now.objects - before.objects,
    bytes: now.bytes - before.bytes,
    resources: resources
      .filter(({ objects, bytes }) => objects !== 0 || bytes !== 0)
      .sort((a, b) => Math.abs(b.bytes) - Math.abs(a.bytes)),
  }
}

function print(terminal: Call['terminal'], stats: Stats): void {
  const { cluster, revision, compacted, objects, bytes, history, disk } = stats
  terminal.print(`store     ${cluster}`)
  terminal.print(`revision  ${numberText(revision)}, history since ${numberText(compacted)}`)
  terminal.print(`objects   ${numberText(objects)}, ${bytesText(bytes)}`)
  terminal.print(`history   ${countText(history.rows, 'row')}, ${bytesText(history.bytes)}`)
  const parts = Object.entries(disk).map(([name, size]) => `${name} ${bytesText(size)}`)
  if (parts.length > 0) terminal.print(`disk      ${parts.join(', ')}`)
  const head = ['RESOURCE', 'OBJECTS', 'BYTES', 'LARGEST', 'CHANGES KEPT']
  const rows = stats.resources.map((one) => [
    one.resource,
    numberText(one.objects),
    bytesText(one.bytes),
    bytesText(one.largest),
    numberText(one.changes),
  ])
  for (const line of table([head, ...rows])) terminal.print(line)
}

function printGrowth(terminal: Call['terminal'], growth: Growth): void {
  const { since, hours, revisions, objects, bytes } = growth
  const rate = hours > 0 ? `, ${numberText(Math.round(revisions / hours))} an hour` : ''
  terminal.print(`since ${since}: ${countText(revisions, 'write')}${rate}`)
  terminal.print(`  objects ${signed(objects, numberText)}, bytes ${signed(bytes, bytesText)}`)
  const rows = growth.resources.map((one) => [
    `  ${one.resource}`,
    signed(one.objects, numberText),
    signed(one.bytes, bytesText),
  ])
  for (const line of table(rows)) terminal.print(line)
}

function signed(number: number, text: (number: number) => string): string {
  return number > 0 ? `+${text(number)}` : text(number)
}

/** Lines with columns as wide as their cells. */
function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(...rows.map((row) => row[at]?.length ?? 0)),
  )
  return rows.map((row) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
}
