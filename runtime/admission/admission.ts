/**
 * Admission: an operation and an object: allow, change, refuse.
 *
 * Every write passes the plugins twice. First those that may change the object, in a fixed order, before it is defaulted
 * and validated; then those that only look, at the object as it will be stored. Who refuses throws, and nothing is stored.
 *
 *  1. Reads are never asked about, and requests that no plugin looks at cost a lookup.
 *  2. Plugins see the stored world through a lister that never waits for what memory already has.
 *  3. A dry run passes the same plugins, and none of them leaves anything behind (A7.9).
 *  4. What a plugin reserves for a request is given back if the object is not stored.
 *
 * The room knows neither routes nor SQL; the registry says when each pass runs.
 */

import type { Admission } from './chain/chain.ts'
import { createChain } from './chain/chain.ts'
import { admissionMetrics } from './chain/metrics.ts'
import type { PluginContext } from './chain/plugin-context.ts'
import { type PluginSelection, selectPlugins } from './chain/selection.ts'

export type { Operation, RequestAttributes, UserInfo } from './chain/attributes.ts'
export type { Admission, AdmissionPass } from './chain/chain.ts'
export type { Lister, PluginContext, StatusWriter, StoredObject } from './chain/plugin-context.ts'
export {
  type ConfigurablePlugin,
  configurablePlugin,
  type PluginSelection,
  selectionProblems,
} from './chain/selection.ts'
export type { PluginSettings } from './plugins/settings.ts'
export { validatingAdmissionPolicyGate } from './policy/validating-admission-policy.ts'

/** The selected plugins of one server. */
export function createAdmission(world: PluginContext, selection: PluginSelection): Admission {
  const plugins = selectPlugins(selection).flatMap(({ name, create: make }) =>
    make === undefined ? [] : { name, plugin: make(world) },
  )
  const { clock, log, metrics } = world
  return createChain(plugins, { clock, log, metrics: admissionMetrics(metrics) })
}
