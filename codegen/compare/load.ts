/** Reads the two trees of a comparison: the heavy half, which nothing loads that does not compare. */

import { printFindings } from '../schema/finding.ts'
import { moduleOf } from '../schema/layout.ts'
import { type Reading, readApi } from '../schema/read.ts'
import type { Sources } from '../schema/sources.ts'
import { type Breach, compare, printBreaches } from './compare.ts'
import { releasesBetween } from './release.ts'

/** The texts of one tree, and what a person calls its files. */
export interface Side {
  readonly sources: Sources
  readonly nameOf: (file: string) => string
}

/** What came of a comparison. `broken` names the tree that cannot be compared, and the report is about that then. */
export interface Compared {
  readonly breaches: readonly Breach[]
  readonly report: string
  readonly broken?: 'before' | 'after'
}

/** Compares two trees of sources. */
export function compareSources(before: Side, after: Side): Compared {
  const [was, is] = [read(before), read(after)]
  if (was.api === undefined) {
    return { breaches: [], report: reportOf(was, before), broken: 'before' }
  }
  if (is.api === undefined) return { breaches: [], report: reportOf(is, after), broken: 'after' }
  const { release } = was.api.platform
  if (releasesBetween(release, is.api.platform.release) < 0) {
    const report = `the base is of release ${release}, which comes after ${is.api.platform.release}\n`
    return { breaches: [], report, broken: 'before' }
  }
  const breaches = compare({ before: was.api, after: is.api })
  return { breaches, report: printBreaches(breaches, shown(before), shown(after)) }
}

function read({ sources }: Side): Reading {
  return readApi(sources, ({ file }) => moduleOf(file))
}

function reportOf({ findings }: Reading, side: Side): string {
  const { textOf, nameOf } = shown(side)
  return printFindings(findings, textOf, nameOf)
}

function shown({ sources, nameOf }: Side) {
  return { textOf: (file: string) => sources.get(file), nameOf }
}
