import type { EventSource } from '../../reconcile/reconcile.ts'

/** Nodes that speak again, for those who have to do with them. */
export class Starts {
  readonly #listeners = new Set<(name: string) => void>()

  /** The node speaks again. */
  tell(name: string): void {
    for (const listener of this.#listeners) listener(name)
  }

  /** Wakes keys for each node that speaks again. */
  source(
    keys: (name: string, context: Parameters<EventSource>[0]) => ReturnType<KeysOf>,
  ): EventSource {
    const listeners = this.#listeners
    return async function* (context) {
      const { signal } = context
      const names: string[] = []
      let wake = (): void => {}
      const hear = (name: string): void => {
        names.push(name)
        wake()
      }
      listeners.add(hear)
      signal.addEventListener('abort', () => wake(), { once: true })
      try {
        while (!signal.aborted) {
          const name = names.shift()
          if (name !== undefined) yield keys(name, context)
          else await new Promise<void>((resolve) => (wake = resolve))
        }
      } finally {
        listeners.delete(hear)
      }
    }
  }
}

type KeysOf = () => readonly { readonly name: string; readonly namespace?: string }[]
