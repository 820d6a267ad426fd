import { randomUUID } from 'node:crypto'
import { defaultServiceRanges, servicePools } from '../apis/apis.ts'
import { alwaysAllow } from '../auth/auth.ts'
import { systemRandom } from '../kernel/async/clock.ts'
import { enabledGatesOf } from '../kernel/descriptors/enabled-gates.ts'
import type { Scheme } from '../kernel/descriptors/scheme.ts'
import type { RegistryContext } from './contract/context.ts'
import type { Registry } from './contract/contract.ts'
import { admissionFor } from './plugin-context.ts'
import { readVerbs } from './read-verbs.ts'
import type { RegistryOptions } from './registry-options.ts'
import { RequestContexts } from './request-contexts.ts'
import { writeVerbs } from './write-verbs.ts'

/** A context whose kinds come and go while the registry works: custom resource definitions make them. */
type MutableContext = RegistryContext & { scheme: Scheme }

/**
 * The verbs over one store, for the kinds of one scheme.
 *
 * There are two contexts: `unadmitted` is what plugins and actions write with, `context` is that of requests, whose writes pass
 * admission. Both follow `replaceScheme`. The store stays the caller's: `close` ends only what admission holds open.
 */
export function createRegistry(options: RegistryOptions): Registry {
  const unadmitted = contextOf(options)
  const admission = admissionFor(unadmitted, options)
  const context: MutableContext = { ...unadmitted, admission }
  const contexts = new RequestContexts(context, {
    store: options.store,
    pools: options.pools ?? servicePools(defaultServiceRanges),
    random: context.random,
  })
  return {
    get scheme() {
      return context.scheme
    },
    get revision() {
      return context.store.currentRevision
    },
    replaceScheme(scheme) {
      context.scheme = scheme
      unadmitted.scheme = scheme
    },
    ...readVerbs(contexts, options),
    ...writeVerbs(contexts),
    close: () => admission.close(),
  }
}

/** The context of the server's own writes: no plugin looks at them. */
function contextOf(options: RegistryOptions): MutableContext {
  const { store, scheme, clock } = options
  return {
    store,
    scheme,
    clock,
    random: options.random ?? systemRandom,
    uid: options.uid ?? randomUUID,
    gates: options.gates ?? enabledGatesOf(scheme),
    authorizer: options.authorizer ?? alwaysAllow,
    ...(options.rules && { rules: options.rules }),
    ...(options.tokens && { tokens: options.tokens }),
    ...(options.isOutdated && { isOutdated: options.isOutdated }),
  }
}
