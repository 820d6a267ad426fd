import type { ControllerName } from '../../generated/controllers.ts'
import type { ConfigKinds } from '../../runtime/config/config.ts'
import type { ControllerFacts } from '../../runtime/kernel/descriptors/controller-facts.ts'
import type { MetricFacts } from '../../runtime/kernel/descriptors/metric-facts.ts'
import type { Platform } from '../../runtime/kernel/descriptors/platform.ts'
import type { DaemonFacts } from '../daemon-flags.ts'

/** The generated facts that the daemon runs on. */
export interface ControllerManagerFacts extends DaemonFacts {
  readonly controllers: readonly ControllerFacts<ControllerName>[]
  readonly configKinds: ConfigKinds
  readonly platform: Platform
  readonly metrics: readonly MetricFacts[]
}
