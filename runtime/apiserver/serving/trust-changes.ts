import { orAborted } from '../../kernel/async/abort-signal.ts'
import type { EventSource } from '../../reconcile/reconcile.ts'
import type { Serving } from '../../serving/serving.ts'

/** Wakes with each change of who is trusted. */
export function trustChanges(trusted: Serving['trusted'], namespace: string): EventSource {
  return async function* ({ signal }) {
    for (;;) {
      const changed = new Promise<void>((resolve) => trusted.onTrustChange(resolve))
      await orAborted(changed, signal)
      if (signal.aborted) return
      yield [{ namespace, name: 'trusted' }]
    }
  }
}
