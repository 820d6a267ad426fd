import type { ConfigKind } from '../kernel/config.ts'
import { createReport } from '../kernel/read.ts'
import type { FeatureGates } from './features.ts'
import type { ConfigFinding } from './finding.ts'
import { plainOf } from './place.ts'
import { type ConfigSource, checkSource, readSource } from './source.ts'

/** One text as a value of its kind with its defaults, and everything that is wrong with it: with findings, it is not to be used. */
export async function readValue(
  kind: ConfigKind,
  source: ConfigSource,
  gates: FeatureGates,
): Promise<{ readonly value?: unknown; readonly findings: readonly ConfigFinding[] }> {
  const findings = await checkSource(kind, source, gates)
  if (findings.length > 0) return { findings }
  const { root } = await readSource(kind, source)
  return { value: root && kind.read(plainOf(root), createReport()), findings }
}
