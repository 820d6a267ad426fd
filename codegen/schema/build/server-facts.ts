/** The files that state facts of a server: which versions go, what is measured, how requests share its capacity. */
import type { FlowControlFacts } from '../../../runtime/kernel/descriptors/flow-control-facts.ts'
import type { Daemon } from '../../../runtime/kernel/descriptors/metric-facts.ts'
import type { VersionRemoval } from '../../../runtime/kernel/descriptors/scheme.ts'
import type { Report } from '../finding.ts'
import type { MetricHistory, WithPosition } from '../ir.ts'
import { migrationShapes } from '../keys/migration-keys.ts'
import type { Shape } from '../keys/shape.ts'
import { entries, get, items, plain, text, type YamlNode } from '../yaml/node.ts'
import { canonical, checkShape, inOrder } from './mapping-shape.ts'

const removalShape: Shape = {
  group: 'string!',
  version: 'string!',
  deprecated: 'string',
  removed: 'string!',
  resources: 'mapping!',
  replacement: 'string',
  since: 'string',
  instead: 'string',
  steps: 'list',
}

/** The versions that `removals.yaml` lists. */
export function buildRemovals(
  node: YamlNode | undefined,
  report: Report,
): readonly WithPosition<VersionRemoval>[] {
  return rows(node, 'removals', 'a removal', removalShape, report).map((row) => {
    for (const key of ['deprecated', 'removed', 'since']) checkRelease(get(row, key), key, report)
    for (const step of items(get(row, 'steps'))) checkStep(step, report)
    return { ...inOrder(canonical(plain(row)) as VersionRemoval, removalShape), at: row.at }
  })
}

/** A step is named by the one of its keys that is the name of a step. */
function checkStep(step: YamlNode, report: Report): void {
  const keys = entries(step).map(({ key }) => key)
  const name = Object.keys(migrationShapes).find((known) => keys.includes(known)) ?? ''
  const shape = migrationShapes[name]
  if (shape !== undefined) {
    checkShape(step, `the step "${name}"`, shape, report)
    return
  }
  const known = Object.keys(migrationShapes).join(', ')
  report(step.at, 'wrong-value', `a step has one of the keys ${known}`)
}

const metricShape: Shape = {
  name: 'string!',
  type: 'string!',
  stability: 'string!',
  acrossProcesses: 'string',
  labels: 'strings!',
  buckets: 'list',
  daemons: 'strings',
  since: 'string',
  deprecated: 'string',
  help: 'string!',
}

const metricTypes = ['counter', 'gauge', 'histogram']
const acrossProcesses = ['most', 'least']
const stabilities = ['ALPHA', 'BETA', 'STABLE']
const daemons: readonly Daemon[] = ['apiserver', 'controller-manager', 'scheduler', 'agent']

/**
 * The metrics that `metrics.yaml` lists.
 * A name that stands twice is reported, and both rows are kept.
 */
export function buildMetrics(
  node: YamlNode | undefined,
  report: Report,
): readonly WithPosition<MetricHistory>[] {
  const names = new Set<string>()
  return rows(node, 'metrics', 'a metric', metricShape, report).map((row) => {
    const name = text(get(row, 'name')) ?? ''
    if (names.has(name)) report(row.at, 'duplicate-metric', `"${name}" is already a metric`)
    names.add(name)
    checkMetric(row, name, report)
    return { ...inOrder(plain(row) as MetricHistory, metricShape), at: row.at }
  })
}

/** Names and labels are those that Prometheus accepts; buckets ascend, and only histograms have some. */
function checkMetric(row: YamlNode, name: string, report: Report): void {
  if (!/^[a-z_][a-z0-9_]*$/.test(name)) {
    const wanted = 'lower-case letters, digits and "_"'
    report(row.at, 'bad-metric', `"${name}" cannot be the name of a metric; expected ${wanted}`)
  }
  for (const label of items(get(row, 'labels'))) {
    if (/^[a-zA-Z][a-zA-Z0-9_]*$/.test(text(label) ?? '')) continue
    report(label.at, 'bad-metric', `"${text(label)}" cannot be the name of a label`)
  }
  oneOf(get(row, 'type'), '"type"', metricTypes, report)
  oneOf(get(row, 'stability'), '"stability"', stabilities, report)
  for (const daemon of items(get(row, 'daemons'))) oneOf(daemon, '"daemons"', daemons, report)
  for (const key of ['since', 'deprecated']) checkRelease(get(row, key), key, report)
  const across = get(row, 'acrossProcesses')
  if (across !== undefined) oneOf(across, '"acrossProcesses"', acrossProcesses, report)
  if (across !== undefined && text(get(row, 'type')) !== 'gauge') {
    report(across.at, 'bad-metric', 'only a gauge has "acrossProcesses"')
  }
  const buckets = get(row, 'buckets')
  const histogram = text(get(row, 'type')) === 'histogram'
  if (histogram !== (buckets !== undefined)) {
    const why = histogram ? 'a histogram needs "buckets"' : 'only a histogram has "buckets"'
    report((buckets ?? row).at, 'bad-metric', why)
  }
  const bounds = items(buckets).map((each) => plain(each) as number)
  if (buckets !== undefined && bounds.some((bound, at) => at > 0 && !(bound > bounds[at - 1]!))) {
    report(buckets.at, 'bad-metric', '"buckets" must be numbers in ascending order')
  }
}

const flowShape: Shape = { annotation: 'string!', priorityLevels: 'list!', flowSchemas: 'list!' }
const namedShape: Shape = { name: 'string!', mandatory: 'boolean!', spec: 'mapping!' }

/** What `flow-control.yaml` says, in one row. A flow schema must name a priority level of the file. */
export function readFlowControl(
  node: YamlNode | undefined,
  report: Report,
): readonly FlowControlFacts[] {
  if (node === undefined || !checkShape(node, 'a flow control file', flowShape, report)) return []
  const named = (key: string): readonly YamlNode[] =>
    items(get(node, key)).filter((each) => checkShape(each, `one of "${key}"`, namedShape, report))
  const levels = named('priorityLevels')
  const schemas = named('flowSchemas')
  const names = levels.flatMap((level) => text(get(level, 'name')) ?? [])
  for (const schema of schemas) {
    const level = get(get(get(schema, 'spec'), 'priorityLevelConfiguration'), 'name')
    const name = text(level)
    if (name !== undefined && names.includes(name)) continue
    report((level ?? schema).at, 'unknown-level', `"${name ?? ''}" is not a priority level`)
  }
  return [
    {
      annotation: text(get(node, 'annotation')) ?? '',
      priorityLevels: canonical(levels.map(plain)) as FlowControlFacts['priorityLevels'],
      flowSchemas: canonical(schemas.map(plain)) as FlowControlFacts['flowSchemas'],
    },
  ]
}

/** The rows of a file that has one list, those of the wrong shape left out. */
export function rows(
  node: YamlNode | undefined,
  key: string,
  what: string,
  shape: Shape,
  report: Report,
): readonly YamlNode[] {
  if (node === undefined || !checkShape(node, `a file of ${key}`, { [key]: 'list!' }, report)) {
    return []
  }
  return items(entries(node)[0]?.value).filter((each) => checkShape(each, what, shape, report))
}

/**
 * Reports text that is no release (`1.29`).
 * Text that is no string at all was reported by the shape.
 */
export function checkRelease(node: YamlNode | undefined, key: string, report: Report): void {
  const release = text(node)
  if (node === undefined || release === undefined || /^\d+\.\d+$/.test(release)) return
  report(node.at, 'wrong-value', `"${key}" must be a release such as '1.29', not "${release}"`)
}

/** Reports a text that is not among those allowed. */
export function oneOf(
  node: YamlNode | undefined,
  what: string,
  allowed: readonly string[],
  report: Report,
): void {
  const word = text(node)
  if (node === undefined || word === undefined || allowed.includes(word)) return
  const wanted = allowed.map((each) => `"${each}"`).join(', ')
  report(node.at, 'wrong-value', `${what} must be one of ${wanted}, not "${word}"`)
}
