import { alwaysAdmit, alwaysDeny } from './always.ts'
import { namespaceLifecycle } from './namespace-lifecycle.ts'
import type { PluginFactory } from './plugin.ts'

/** A plugin by name. One without `make` is a name that options accept and nothing more. */
export interface PluginFacts {
  readonly name: string
  readonly byDefault?: true
  readonly make?: PluginFactory
}

/** Every plugin there is, in the order in which requests pass them (supplement Q-01). */
export const plugins: readonly PluginFacts[] = [
  { name: 'AlwaysAdmit', make: alwaysAdmit },
  { name: 'NamespaceAutoProvision' },
  { name: 'NamespaceLifecycle', byDefault: true, make: namespaceLifecycle },
  { name: 'NamespaceExists' },
  { name: 'AlwaysDeny', make: alwaysDeny },
]
