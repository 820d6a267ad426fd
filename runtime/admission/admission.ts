/**
 * Admission: plugins allow, change or reject requests before their objects are stored.
 *
 * Every write passes the chain twice: first the mutating plugins in a fixed order, before defaults and validation, then the
 * validating plugins with the object as it will be stored. A plugin rejects by throwing a StatusError; nothing is stored then.
 *
 *  1. Reads are not admitted, and a request that no plugin handles costs a lookup.
 *  2. Plugins read stored objects through a lister, which is synchronous for everything in the watch cache.
 *  3. A dry run passes the same plugins, and none of them has side effects (A7.9).
 *  4. What a plugin reserves for a request is given back if the object is not stored.
 *
 * `plugins/plugins.ts` is the table of plugins. The module knows neither routes nor SQL; the registry runs the passes.
 */
export type { Operation, RequestAttributes, UserInfo } from './chain/attributes.ts'
export type { Admission, AdmissionPass } from './chain/contract.ts'
export type {
  Lister,
  PendingCharge,
  PendingCharges,
  PluginContext,
  StatusWriter,
  StoredObject,
} from './chain/plugin-context.ts'
export type { PluginSettings } from './chain/plugin-settings.ts'
export { createAdmission } from './create-admission.ts'
export {
  type ConfigurablePlugin,
  configurablePlugin,
  type PluginSelection,
  selectionProblems,
} from './plugins/selection.ts'
export { validatingAdmissionPolicyGate } from './policy/validating-admission-policy.ts'
