import type { EnabledGates } from '../../kernel/descriptors/enabled-gates.ts'
import { currentRelease, type FeatureGate } from '../../kernel/descriptors/feature-gate.ts'
import type { Platform } from '../../kernel/descriptors/platform.ts'
import type { Metrics } from './metrics-contract.ts'

/** Shows which gates are on. A gate with a vendor in its name stands for many, which are not shown. */
export function showGates(
  metrics: Metrics,
  { brand }: Pick<Platform, 'brand'>,
  table: readonly FeatureGate[],
  gates: EnabledGates,
): void {
  const enabled = metrics.gauge(`${brand}_feature_enabled`)
  for (const facts of table) {
    const { gate } = facts
    if (gate.includes('<')) continue
    const { stage } = currentRelease(facts)
    enabled.set([gate, stage === 'GA' ? '' : stage.toUpperCase()], gates.has(gate) ? 1 : 0)
  }
}
