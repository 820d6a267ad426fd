import { type AnyKind, isSameResource } from '../../kernel/descriptors/kind.ts'
import { stepsOf } from '../changes/field-paths.ts'
import type { AnyController } from './controller.ts'
import {
  type DeclaredWrite,
  declaredWrites,
  mayWrite,
  sharedFields,
  titleOf,
} from './declared-writes.ts'
import type { ControllerGraph, GraphController, GraphKind, Wake } from './graph-contract.ts'
import { graphFindings } from './graph-findings.ts'
import type { KeyController } from './key-controller.ts'
import { ownedOf } from './owned.ts'

/**
 * The graph of controllers: who wakes whom, by which fields of which kind, and what is odd about it.
 *
 * @example assert.equal(controllerGraph(controllers).findings.filter(({ is }) => is === 'warning'), [])
 */
export function controllerGraph(
  controllers: readonly (AnyController | KeyController)[],
): ControllerGraph {
  const all = controllers.map((one) => ({
    name: one.name,
    writes: declaredWrites(one),
    watched: watchedBy(one),
  }))
  const wakes = all.flatMap(({ name: from, writes }) =>
    writes.flatMap((write) =>
      all.flatMap(({ name: to, watched }) =>
        watched
          .filter(({ kind }) => isSameResource(kind, write.kind))
          .flatMap((watch) => wakeBy(write, watch, { from, to })),
      ),
    ),
  )
  const told = controllers.map((one, at) => toldOf(one, all[at]?.watched ?? []))
  return { controllers: told, wakes, findings: graphFindings(told, wakes) }
}

interface Watched {
  readonly kind: AnyKind
  readonly fields?: readonly string[]
}

function watchedBy(controller: AnyController | KeyController): readonly Watched[] {
  const watches = (controller.watches ?? []).map(({ kind, fields }) => watched(kind, fields))
  if (!('for' in controller)) return watches
  const owned = ownedOf(controller.owns).map(({ owns, scope }) => watched(owns, scope.fields))
  return [watched(controller.for, controller.scope?.fields), ...owned, ...watches]
}

function watched(kind: AnyKind, fields: readonly string[] | undefined): Watched {
  return fields === undefined ? { kind } : { kind, fields }
}

function toldOf(
  controller: AnyController | KeyController,
  wokenBy: readonly Watched[],
): GraphController {
  const { name, reads, writes, scales, sources = [] } = controller
  const seeds = 'seeds' in controller ? (controller.seeds ?? []) : []
  return {
    name,
    wokenBy: wokenBy.map(({ kind, fields }) => graphKind(kind, fields)),
    writes: declaredWrites(controller).map(({ kind, fields, by }) => ({
      ...graphKind(kind, fields),
      by,
    })),
    reads: (reads ?? []).map(titleOf),
    hasOtherCauses: seeds.length + sources.length > 0,
    isDeclared: [reads, writes, scales].some((one) => one !== undefined),
  }
}

function graphKind(kind: AnyKind, fields: readonly string[] | undefined): GraphKind {
  return { kind: titleOf(kind), ...(fields !== undefined && { fields }) }
}

/** How a write wakes by a watch: not at all, or by some fields. */
function wakeBy(
  write: DeclaredWrite,
  watch: Watched,
  ends: Pick<Wake, 'from' | 'to'>,
): readonly Wake[] {
  const wake = { ...ends, kind: titleOf(write.kind), by: write.by }
  const fields = sharedFields(write.fields, watch.fields)?.filter((field) => mayWrite(write, field))
  if (fields === undefined) return [wake]
  const counts = watch.fields?.includes('metadata.generation') && isCounted(write)
  const all = counts ? [...new Set([...fields, 'metadata.generation'])] : fields
  const makes = write.by === 'ensure' || (write.by === 'writes' && write.fields === undefined)
  return all.length > 0 || makes ? [{ ...wake, fields: all }] : []
}

/** True if the write may change what `metadata.generation` counts. */
function isCounted({ kind, fields }: DeclaredWrite): boolean {
  if (!kind.generation) return false
  if (fields === undefined) return true
  const { generationCounts: counts } = kind
  if (counts !== undefined) return sharedFields(fields, counts)?.length !== 0
  return fields.some((field) => !['metadata', 'status'].includes(stepsOf(field)[0] ?? ''))
}
