/** What the command line of a daemon says about its metrics. */
import { type ConfigFinding, configFiles, type Options } from '../runtime/config/config.ts'
import type { MetricFacts } from '../runtime/kernel/descriptors/metric-facts.ts'
import { nearestName } from '../runtime/kernel/values/spelling.ts'
import {
  type LabelAllowList,
  labelAllowList,
  showHiddenProblem,
  type VisibilityOptions,
} from '../runtime/observe/observe.ts'

/** What the metric flags say. With problems, the daemon must not start. */
export interface MetricSettings {
  readonly metrics: Required<Pick<VisibilityOptions, 'showHiddenFor' | 'disabled'>> & {
    readonly allowed: LabelAllowList
  }
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
}

const manifestFlag = 'allow-metric-labels-manifest'

/** Reads the flags of the section Metrics, and the manifest that one of them names. */
export async function metricSettings(
  options: Options,
  release: string,
  table: readonly MetricFacts[],
): Promise<MetricSettings> {
  const showHiddenFor = options.string('show-hidden-metrics-for-version')
  const disabled = options.strings('disabled-metrics')
  const given = options.pairs('allow-metric-labels')
  const file = options.string(manifestFlag)
  const named = given.size > 0 || file === '' ? undefined : await readManifest(file)
  const flag = named === undefined ? '--allow-metric-labels' : `--${manifestFlag}`
  const { list: allowed, problems } = labelAllowList(named?.pairs ?? given)
  const hidden = showHiddenProblem(showHiddenFor, release)
  return {
    metrics: { showHiddenFor, disabled, allowed },
    problems: [
      ...(hidden === undefined ? [] : [hidden]),
      ...(named?.problems ?? []),
      ...problems.map((problem) => `${flag}: ${problem}`),
    ],
    warnings: [
      ...unknownMetricWarnings('--disabled-metrics', disabled, table),
      ...unknownMetricWarnings(flag, [...allowed.keys()], table),
    ],
  }
}

/** An unknown name may be a metric of another release: a warning names it, and it has no effect. */
function unknownMetricWarnings(
  flag: string,
  names: readonly string[],
  table: readonly MetricFacts[],
): readonly string[] {
  const known = table.map(({ name }) => name)
  return names
    .filter((name) => !known.includes(name))
    .map((name) => {
      const near = nearestName(name, known)
      const hint = near === undefined ? '' : `; did you mean ${near}?`
      return `${flag}: there is no metric ${name}${hint}`
    })
}

/** What the manifest of allowed label values says. */
interface Manifest {
  readonly pairs: ReadonlyMap<string, string>
  readonly problems: readonly string[]
}

/** The manifest is a mapping of text to text, with the keys and values of the flag. */
async function readManifest(file: string): Promise<Manifest> {
  const { readConfigFile, parseSource: openSource } = await configFiles()
  const place = { origin: 'flag', text: `--${manifestFlag}` } as const
  const { sources, findings } = await readConfigFile(file, 'file', place)
  const [source] = sources
  if (source === undefined) return { pairs: new Map(), problems: findingMessages(findings) }
  const { root, findings: wrong } = await openSource(source)
  if (root === undefined || wrong.length > 0)
    return { pairs: new Map(), problems: findingMessages(wrong) }
  const pairs = new Map<string, string>()
  const problems: ConfigFinding[] = []
  if (root.is !== 'map') {
    problems.push({ location: root.at, message: 'expected a mapping of METRIC,LABEL to VALUES' })
  } else {
    for (const { key, value } of root.entries) {
      if (value.is === 'scalar' && typeof value.value === 'string') pairs.set(key, value.value)
      else problems.push({ location: value.at, message: `${key}: expected values in one text` })
    }
  }
  return { pairs, problems: findingMessages(problems) }
}

function findingMessages(findings: readonly ConfigFinding[]): readonly string[] {
  return findings.map(({ location: place, message }) => `${place.text}: ${message}`)
}
