import type { ConfigKind } from '../../kernel/options/config-kind.ts'
import { createReport } from '../../kernel/validation/field-error.ts'
import type { FeatureGates } from '../gates/feature-gates.ts'
import type { ConfigFinding } from '../value/finding.ts'
import { toPlainValue } from '../value/located-value.ts'
import { type ConfigSource, checkSource, readSource } from './config-source.ts'

/** A text as a value of its kind, with defaults; without `value` if there are findings. */
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
