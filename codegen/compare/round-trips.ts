/** Rule 2: what a resource holds in one version, its other versions hold too, or a conversion says where it goes. */
import { apiVersionOf } from '../../runtime/kernel/meta/object.ts'
import type { Api, KindFacts } from '../schema/ir.ts'
import type { Field, NamedType, Type } from '../schema/named-type.ts'
import type { Position } from '../schema/position.ts'
import type { Comparison } from './breaking-change.ts'
import { positionOf, resourceKey, resourceName, servedKinds, typesOf } from './resources.ts'
import { stageOf } from './stability.ts'

/** A field that one version of a resource has and another does not. */
interface Loss {
  readonly message: string
  readonly at: Position
  /** Both kinds, the one that has the field first. */
  readonly kinds: readonly [KindFacts, KindFacts]
}

/** Reports the losses that the tree before did not have. */
export const compareRoundTrips: Comparison = ({ before, after }, report) => {
  const known = lossesOf(before)
  const served = servedKinds(before)
  for (const [key, { message, at, kinds }] of lossesOf(after)) {
    if (known.has(key)) continue
    const was = kinds.flatMap((kind) => served.get(resourceKey(kind)) ?? [])[0]
    const place = was?.at ?? positionOf(before, kinds[0])
    report({ rule: 'rule-2', message, before: place, after: at })
  }
}

/** The losses of a tree by their message. Where a conversion is declared, the lint has shown that it loses nothing. */
function lossesOf(api: Api): ReadonlyMap<string, Loss> {
  const types = typesOf(api)
  const losses = new Map<string, Loss>()
  for (const versions of resourcesOf(api).values()) {
    for (const one of versions) {
      for (const other of versions) {
        if (one === other || converts(one, other)) continue
        for (const { path, at } of lostFields(one.type, other.type, types)) {
          const message = `${resourceName(one)} ${path} is lost in ${other.version}, which has no such field and no conversion`
          losses.set(message, { message, at, kinds: [one, other] })
        }
      }
    }
  }
  return losses
}

/** The served versions of each resource, without alpha versions. */
function resourcesOf(api: Api): ReadonlyMap<string, readonly KindFacts[]> {
  const found = new Map<string, KindFacts[]>()
  for (const kind of servedKinds(api).values()) {
    if (stageOf(kind.version) === 'Alpha') continue
    const key = `${kind.group}/${kind.plural}`
    found.set(key, [...(found.get(key) ?? []), kind])
  }
  return found
}

/** True if a conversion is declared between two versions, or both are stored as the same one. */
function converts(one: KindFacts, other: KindFacts): boolean {
  return (
    one.conversion?.from === apiVersionOf(other) ||
    other.conversion?.from === apiVersionOf(one) ||
    storedVersionOf(one) === storedVersionOf(other)
  )
}

/** A version that names no other one is stored as itself. */
function storedVersionOf(kind: KindFacts): string {
  return kind.storedAs ?? apiVersionOf(kind)
}

/** The topmost fields of one type that another does not have, with their paths. Each pair of types is compared once. */
function lostFields(
  from: string,
  to: string,
  types: ReadonlyMap<string, NamedType>,
): readonly { readonly path: string; readonly at: Position }[] {
  const seen = new Set<string>()
  const visit = (
    one: string,
    other: string,
    path: string,
  ): readonly { path: string; at: Position }[] => {
    const [a, b] = [types.get(one), types.get(other)]
    if (one === other || seen.has(`${one} ${other}`) || a?.is !== 'struct' || b?.is !== 'struct')
      return []
    seen.add(`${one} ${other}`)
    return a.fields.flatMap((field) => {
      const there = b.fields.find(({ name }) => name === field.name)
      const here = path === '' ? field.name : `${path}.${field.name}`
      if (there === undefined) return [{ path: here, at: field.at }]
      const [inner, outer] = [structIn(field), structIn(there)]
      return inner === undefined || outer === undefined ? [] : visit(inner, outer, here)
    })
  }
  return visit(from, to, '')
}

/** The id of the type that a field refers to, by its items or values too. */
function structIn({ type }: Field): string | undefined {
  let inner: Type = type
  while (inner.is === 'list' || inner.is === 'map')
    inner = inner.is === 'list' ? inner.items : inner.values
  return inner.is === 'ref' ? inner.to : undefined
}
