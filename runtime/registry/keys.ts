import type { AnyKind } from '../kernel/kind.ts'
import type { Target } from './registry.ts'

type Place = Pick<Target, 'namespace'> & { readonly kind: AnyKind }

/** What the keys of a collection begin with. */
export function prefixOf({ kind, namespace }: Place): string {
  const collection = `/${kind.group || 'core'}/${kind.plural}/`
  return kind.scope === 'Namespaced' && namespace ? `${collection}${namespace}/` : collection
}

/** The key of one object. */
export function keyOf(place: Place, name: string): string {
  return `${prefixOf(place)}${name}`
}
