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

import type { Admission } from './chain.ts'
import { chainOf } from './chain.ts'
import { admissionMeters } from './meters.ts'
import { type Selection, selected } from './selection.ts'
import type { World } from './world.ts'

export type { Attempt, Caller, Operation } from './attempt.ts'
export { systemCaller } from './attempt.ts'
export type { Admission, Case } from './chain.ts'
export { policyGate } from './policy/plugin.ts'
export { type Selection, type Settable, selectionProblems, settableOf } from './selection.ts'
export type { PluginSettings } from './settings.ts'
export type { Lister, Stored, World, Writer } from './world.ts'

/** The selected plugins of one server. */
export function createAdmission(world: World, selection: Selection): Admission {
  const plugins = selected(selection).flatMap(({ name, make }) =>
    make === undefined ? [] : { name, plugin: make(world) },
  )
  const { clock, log, metrics } = world
  return chainOf(plugins, { clock, log, meters: admissionMeters(metrics) })
}
