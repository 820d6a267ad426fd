/** What admission reads and writes of the store. */
import type { Lister, Writer } from '../admission/admission.ts'
import type { AnyKind } from '../kernel/kind.ts'
import { isStatus } from '../kernel/status.ts'
import { change } from './change.ts'
import type { Context } from './context.ts'
import { itemOf } from './item.ts'
import { keyOfExisting, prefixOf } from './keys.ts'
import type { Item } from './registry.ts'
import { storeOf } from './storage-view.ts'

/** Lists are kept until the next change of the store: one request asks for the same ones several times. */
export function listerOf({ store }: Pick<Context, 'store'>): Lister {
  const listed = {
    revision: store.current,
    byKind: new Map<AnyKind, Map<string, readonly Item[]>>(),
  }
  const peek: Lister['peek'] = (kind, name, namespace) => {
    const key = keyOf(kind, name, namespace)
    const entry = key === undefined ? undefined : storeOf(kind, store).peek(key)
    return entry && itemOf(entry)
  }
  return {
    peek,
    async find(kind, name, namespace) {
      const known = peek(kind, name, namespace)
      const key = keyOf(kind, name, namespace)
      if (known !== undefined || key === undefined) return known
      const entry = await storeOf(kind, store).get(key)
      return entry && itemOf(entry)
    },
    list(kind, namespace = '') {
      if (listed.revision !== store.current) {
        listed.revision = store.current
        listed.byKind.clear()
      }
      const lists = listed.byKind.get(kind) ?? new Map<string, readonly Item[]>()
      const known = lists.get(namespace)
      if (known !== undefined) return known
      const items = storeOf(kind, store)
        .stale(prefixOf({ kind, ...(namespace && { namespace }) }))
        .entries.map(itemOf)
      listed.byKind.set(kind, lists.set(namespace, items))
      return items
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
