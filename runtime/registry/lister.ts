/** What admission reads and writes of the store. */
import type { Lister, Writer } from '../admission/admission.ts'
import type { AnyKind } from '../kernel/kind.ts'
import { isStatus } from '../kernel/status.ts'
import { change } from './change.ts'
import type { Context } from './context.ts'
import { itemOf } from './item.ts'
import { keyOfExisting, prefixOf } from './keys.ts'
import { storeOf } from './storage-view.ts'

export function listerOf({ store }: Pick<Context, 'store'>): Lister {
  return {
    async find(kind, name, namespace) {
      const key = keyOf(kind, name, namespace)
      if (key === undefined) return undefined
      const view = storeOf(kind, store)
      const entry = view.peek(key) ?? (await view.get(key))
      return entry && itemOf(entry)
    },
    list(kind, namespace) {
      const place = { kind, ...(namespace !== undefined && { namespace }) }
      return storeOf(kind, store).stale(prefixOf(place)).entries.map(itemOf)
    },
  }
}

function keyOf(kind: AnyKind, name: string, namespace?: string): string | undefined {
  try {
    return keyOfExisting({ kind, name, ...(namespace !== undefined && { namespace }) })
  } catch (error) {
    if (isStatus(error, 'NotFound')) return undefined
    throw error
  }
}

/** Writes that are nobody's request: they are not admitted. */
export function writerOf(context: Context): Writer {
  const manager = `${context.tree.platform.prefix}-apiserver`
  const options = { dryRun: false, fieldValidation: 'Ignore', manager } as const
  return {
    async changeStatus(kind, { namespace, name }, to) {
      const place = { name, ...(namespace !== undefined && { namespace }) }
      const target = { kind, subresource: 'status', ...place }
      const view = { ...context, store: storeOf(kind, context.store) }
      await change(view, target, options, (current) => {
        const object = current.object()
        const next = to(object)
        const unchanged = next === undefined
        return {
          object: next ?? object,
          findings: [],
          warnings: [],
          ...(unchanged && { unchanged }),
        }
      })
    },
  }
}
