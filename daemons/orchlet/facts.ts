import type { MetricFacts } from '../../runtime/kernel/descriptors/metric-facts.ts'
import type { Platform } from '../../runtime/kernel/descriptors/platform.ts'
import type { DaemonFacts } from '../daemon-flags.ts'

/** The generated facts that the node agent runs by. */
export interface AgentDaemonFacts extends DaemonFacts {
  readonly platform: Platform
  readonly metrics: readonly MetricFacts[]
}
