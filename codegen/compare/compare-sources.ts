/** Reads the two trees of a comparison and compares them. It loads the YAML parser: import it only to compare. */

import { unchangedFiles } from '../schema/build/unchanged-files.ts'
import { moduleOf } from '../schema/files/layout.ts'
import { noDocumentCache, type OpenDocumentCache } from '../schema/files/load.ts'
import { platformName, type Sources } from '../schema/files/sources.ts'
import { printFindings } from '../schema/finding.ts'
import { type ReadResult, readApi } from '../schema/read.ts'
import type { YamlNode } from '../schema/yaml/node.ts'
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
 * one. `cached` are documents of an earlier run over files of `after`.
 */
export function compareSources(
  before: ComparedSources,
  after: ComparedSources,
  cached: OpenDocumentCache = () => noDocumentCache,
): CompareResult {
  const same = sameFiles(before.sources, after.sources)
  const parsed = new Map<string, YamlNode>()
  const was = read(before, recorder(cached, same, parsed))
  if (was.api === undefined) {
    return { breakingChanges: [], report: reportOf(was, before), unreadable: 'before' }
  }
  const is = read(after, sameAsBefore(was, same, parsed))
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
function read({ sources }: ComparedSources, cache: OpenDocumentCache): ReadResult {
  return readApi(sources, ({ file }) => moduleOf(file), cache)
}

/** What two trees have in common. */
interface SameFiles {
  /** Files of the same text, under the same platform's names: none if those differ. */
  readonly same: ReadonlySet<string>
  /** All other files of both. */
  readonly others: readonly string[]
}

function sameFiles(before: Sources, after: Sources): SameFiles {
  const isSame = (file: string): boolean => before.get(file) === after.get(file)
  const names = [...new Set([...before.keys(), ...after.keys()])]
  const files = names.filter((file) => file !== platformName)
  const same = new Set(isSame(platformName) ? files.filter(isSame) : [])
  return { same, others: files.filter((file) => !same.has(file)) }
}

/** Takes from the cache what both trees have, parses the rest, and puts every document into `parsed`. */
function recorder(
  cached: OpenDocumentCache,
  { same }: SameFiles,
  parsed: Map<string, YamlNode>,
): OpenDocumentCache {
  return (parse) => {
    const cache = cached(parse)
    return {
      builtFile: () => undefined,
      parse(file, ...rest) {
        const node = same.has(file) ? cache.parse(file, ...rest) : parse(file, ...rest)
        if (node !== undefined) parsed.set(file, node)
        return node
      },
    }
  }
}

/** What the tree before, which has no findings, made of the files that are the same: most are, and are read once. */
function sameAsBefore(
  { files = new Map() }: ReadResult,
  { same, others }: SameFiles,
  parsed: ReadonlyMap<string, YamlNode>,
): OpenDocumentCache {
  const refs = new Map([...files].map(([file, { refs }]) => [file, refs]))
  const unchanged = unchangedFiles(refs, others)
  return (parse) => ({
    builtFile: (file) => (unchanged.has(file) ? files.get(file) : undefined),
    parse: (file, ...rest) =>
      (same.has(file) ? parsed.get(file) : undefined) ?? parse(file, ...rest),
  })
}

/** The findings that make a tree unreadable, with caret frames. */
function reportOf({ findings }: ReadResult, side: ComparedSources): string {
  const { textOf, nameOf } = sourceViewOf(side)
  return printFindings(findings, textOf, nameOf)
}

function sourceViewOf({ sources, nameOf }: ComparedSources) {
  return { textOf: (file: string) => sources.get(file), nameOf }
}
