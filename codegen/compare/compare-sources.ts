/** Reads the two trees of a comparison and compares them. It loads the YAML parser: import it only to compare. */

import { moduleOf } from '../schema/files/layout.ts'
import type { Sources } from '../schema/files/sources.ts'
import { printFindings } from '../schema/finding.ts'
import { type ReadResult, readApi } from '../schema/read.ts'
import { type BreakingChange, printBreakingChanges } from './breaking-change.ts'
import { compare } from './compare.ts'
import { releasesBetween } from './release.ts'

/** The texts of one tree, and the names to show for its files. */
export interface ComparedSources {
  readonly sources: Sources
  readonly nameOf: (file: string) => string
}

/** What a comparison found. `unreadable` names the tree that cannot be compared; `report` says why then. */
export interface CompareResult {
  readonly breakingChanges: readonly BreakingChange[]
  readonly report: string
  readonly unreadable?: 'before' | 'after'
}

/**
 * Compares two trees of sources. A tree with findings of its own is not compared, nor a base whose release is the later
 * one.
 */
export function compareSources(before: ComparedSources, after: ComparedSources): CompareResult {
  const [was, is] = [read(before), read(after)]
  if (was.api === undefined) {
    return { breakingChanges: [], report: reportOf(was, before), unreadable: 'before' }
  }
  if (is.api === undefined)
    return { breakingChanges: [], report: reportOf(is, after), unreadable: 'after' }
  const { release } = was.api.platform
  if (releasesBetween(release, is.api.platform.release) < 0) {
    const report = `the base is of release ${release}, which comes after ${is.api.platform.release}\n`
    return { breakingChanges: [], report, unreadable: 'before' }
  }
  const breaches = compare({ before: was.api, after: is.api })
  return {
    breakingChanges: breaches,
    report: printBreakingChanges(breaches, sourceViewOf(before), sourceViewOf(after)),
  }
}

/**
 * Modules of another tree are named by their own files: no emitter runs, so no specifier is
 * needed.
 */
function read({ sources }: ComparedSources): ReadResult {
  return readApi(sources, ({ file }) => moduleOf(file))
}

/** The findings that make a tree unreadable, with caret frames. */
function reportOf({ findings }: ReadResult, side: ComparedSources): string {
  const { textOf, nameOf } = sourceViewOf(side)
  return printFindings(findings, textOf, nameOf)
}

function sourceViewOf({ sources, nameOf }: ComparedSources) {
  return { textOf: (file: string) => sources.get(file), nameOf }
}
