import type { Client } from '../../client/client.ts'
import { createInformer } from '../../informer/informer.ts'
import type { Clock } from '../../kernel/async/clock.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { Scheme } from '../../kernel/descriptors/scheme.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { Log } from '../../observe/observe.ts'

/** The kind of definitions of custom resources, if a scheme shows it. */
export function definitionKind({ routes, platform }: Scheme): AnyKind | undefined {
  const path = `apis/apiextensions.${platform.api}/v1/customresourcedefinitions`
  return Object.hasOwn(routes, path) ? routes[path] : undefined
}

/**
 * Resolves to true when there is an object of the kind, to false when `signal` aborts before: a server without definitions
 * does not load what makes kinds of them.
 */
export async function waitForDefinition(
  client: Client,
  kind: AnyKind,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  signal: AbortSignal,
): Promise<boolean> {
  const found = new AbortController()
  const informer = createInformer(client.resource<ApiObject>(kind), {
    clock,
    log,
    keepAlive: false,
  })
  informer.on({ added: () => found.abort() })
  await informer.run(AbortSignal.any([signal, found.signal]))
  return found.signal.aborted && !signal.aborted
}
