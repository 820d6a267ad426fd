/** What controllers write, as they declare it. */

import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import { hasSubresource, isSameResource } from '../../kernel/descriptors/kind.ts'
import { stepsOf } from '../changes/field-paths.ts'
import { isWithin } from '../changes/written-fields.ts'
import type { AnyController } from './controller.ts'
import type { KeyController } from './key-controller.ts'
import { ownedOf } from './owned.ts'
import { fieldsOfKinds, wholeKinds } from './writing.ts'

/** How a controller writes: by `ensure` what it owns, by `setStatus` what it is for, by its client or as a scale what it says. */
export type WriteBy = 'ensure' | 'setStatus' | 'scale' | 'writes'

/** A kind that a controller writes. */
export interface DeclaredWrite {
  readonly kind: AnyKind
  readonly by: WriteBy
  /** The fields that it writes; absent where that may be any, but for the status by `ensure`. */
  readonly fields?: readonly string[]
  /** True for fields that the controller declares as its own. */
  readonly isOwn: boolean
}

/** What a controller writes. Where it names fields of a kind, these are all that it writes of it. */
export function declaredWrites(
  controller: AnyController | KeyController,
): readonly DeclaredWrite[] {
  const { writes, scales = [] } = controller
  const [of, owned] =
    'for' in controller
      ? [[controller.for], ownedOf(controller.owns).map(({ owns }) => owns)]
      : [[], []]
  const named = fieldsOfKinds(writes)
  const isNamed = (kind: AnyKind) => named.some((one) => isSameResource(one.writes, kind))
  const isOwned = (kind: AnyKind) => owned.some((one) => isSameResource(one, kind))
  const byOf = (kind: AnyKind, fields: readonly string[]): WriteBy => {
    if (isOwned(kind)) return 'ensure'
    const isStatus = fields.every((field) => stepsOf(field)[0] === 'status')
    return isStatus && of.some((one) => isSameResource(one, kind)) ? 'setStatus' : 'writes'
  }
  const usual = (kinds: readonly AnyKind[], by: WriteBy, fieldsOf?: (kind: AnyKind) => string[]) =>
    kinds.map((kind) => ({ kind, by, isOwn: false, ...(fieldsOf && { fields: fieldsOf(kind) }) }))
  return [
    ...named.map(({ writes: kind, fields }) => ({
      kind,
      by: byOf(kind, fields),
      fields,
      isOwn: true,
    })),
    ...usual(owned, 'ensure').filter(({ kind }) => !isNamed(kind)),
    ...usual(wholeKinds(writes), 'writes').filter(({ kind }) => !isNamed(kind)),
    ...usual(of, 'setStatus', () => ['status']).filter(
      ({ kind }) => !isNamed(kind) && hasSubresource(kind, 'status'),
    ),
    ...usual(scales, 'scale', replicasOf),
  ]
}

function replicasOf({ subresources }: AnyKind): string[] {
  const { scale } = subresources.find(({ name }) => name === 'scale') ?? {}
  return [scale?.specReplicasPath ?? 'spec.replicas']
}

/** The fields that two lists have in common, the narrower one of each pair; absent for lists that name none, which have all. */
export function sharedFields(
  some: readonly string[] | undefined,
  others: readonly string[] | undefined,
): readonly string[] | undefined {
  if (some === undefined || others === undefined) return some ?? others
  const pairs = some.flatMap((one) => others.map((other) => [one, other] as const))
  const shared = pairs.flatMap(([one, other]) => {
    if (isWithin(stepsOf(one), stepsOf(other))) return [one]
    return isWithin(stepsOf(other), stepsOf(one)) ? [other] : []
  })
  return [...new Set(shared)]
}

/**
 * Refuses controllers of which two write the same field, where one of them declares it as its own.
 *
 * @throws RangeError that names them, and each field.
 */
export function refuseSharedFields(controllers: readonly (AnyController | KeyController)[]): void {
  const all = controllers.map((one) => ({ name: one.name, writes: declaredWrites(one) }))
  const clashes = all.flatMap((one, at) =>
    all.slice(at + 1).flatMap((other) => {
      const shared = one.writes.flatMap((write) =>
        other.writes.flatMap((second) => fieldsOfBoth(write, second)),
      )
      const both = `${one.name} and ${other.name} both write`
      return [...new Set(shared)].map((field) => `${both} ${field}`)
    }),
  )
  if (clashes.length === 0) return
  const remedy = 'name in `writes` of each of them, by writing(), fields that no other one writes'
  throw new RangeError(`${clashes.join('; ')}: ${remedy}`)
}

function fieldsOfBoth(one: DeclaredWrite, other: DeclaredWrite): readonly string[] {
  if (!(one.isOwn || other.isOwn) || !isSameResource(one.kind, other.kind)) return []
  const shared = sharedFields(one.fields, other.fields) ?? []
  const written = shared.filter((field) => mayWrite(one, field) && mayWrite(other, field))
  return written.map((field) => `${field} of ${titleOf(one.kind)}`)
}

/** False for the status of what is written by `ensure`, where it is a subresource. */
export function mayWrite({ kind, by, isOwn }: DeclaredWrite, field: string): boolean {
  return (
    isOwn || by !== 'ensure' || stepsOf(field)[0] !== 'status' || !hasSubresource(kind, 'status')
  )
}

/** A kind without its version, as people write it: `Service`, `Deployment.apps`. */
export function titleOf({ kind, group }: AnyKind): string {
  return group === '' ? kind : `${kind}.${group}`
}
