import { createChain } from './chain/chain.ts'
import type { Admission } from './chain/contract.ts'
import { admissionMetrics } from './chain/metrics.ts'
import type { PluginContext } from './chain/plugin-context.ts'
import { type PluginSelection, selectPlugins } from './plugins/selection.ts'

/** Creates the admission chain of a server from the selected plugins. */
export function createAdmission(context: PluginContext, selection: PluginSelection): Admission {
  const plugins = selectPlugins(selection).flatMap(({ name, create }) =>
    create === undefined ? [] : { name, plugin: create(context) },
  )
  const { clock, log, metrics } = context
  return createChain(plugins, { clock, log, metrics: admissionMetrics(metrics) })
}
