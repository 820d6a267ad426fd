import type { ConfigKind } from '../../kernel/options/config-kind.ts'
import { createReport } from '../../kernel/validation/field-error.ts'
import type { FeatureGates } from '../feature-gates.ts'
import type { ConfigFinding } from '../finding.ts'
import { toPlainValue } from '../located-value.ts'
import { type ConfigSource, checkSource, readSource } from './config-source.ts'

/** One text as a value of its kind with its defaults, and everything that is wrong with it: with findings, it is not to be used. */
export async function readConfigValue(
  kind: ConfigKind,
  source: ConfigSource,
  gates: FeatureGates,
): Promise<{ readonly value?: unknown; readonly findings: readonly ConfigFinding[] }> {
  const findings = await checkSource(kind, source, gates)
  if (findings.length > 0) return { findings }
  const { root } = await readSource(kind, source)
  return { value: root && kind.read(toPlainValue(root), createReport()), findings }
}
