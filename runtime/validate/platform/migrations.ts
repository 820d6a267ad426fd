import { followPath, type LocatedValue, type TextRange } from '../../serializer/serializer.ts'
import { type Migration, migrate } from '../migration/edits.ts'
import type { ObjectName, TextEdit } from '../rules/finding.ts'
import type { FoundObject, PlatformJudges } from './judges.ts'

/** A document of a version that is deprecated or gone, and what makes it one of its replacement. */
export interface DocumentMigration extends Migration {
  readonly object: ObjectName
  readonly root: LocatedValue<TextRange>
  /** The place of its version. */
  readonly at: TextRange
  /** The version that it becomes; absent for one that nothing replaces. */
  readonly replacement?: string
}

/** The documents among the objects of a text that are of such versions. */
export async function migrationsOf(
  judges: PlatformJudges,
  text: string,
  found: readonly FoundObject[],
): Promise<readonly DocumentMigration[]> {
  const all = await Promise.all(found.map((one) => migrationOf(judges, text, one)))
  return all.flatMap((one) => one ?? [])
}

async function migrationOf(
  judges: PlatformJudges,
  text: string,
  found: FoundObject,
): Promise<DocumentMigration | undefined> {
  const row = await judges.outdated(found)
  if (row === undefined) return undefined
  const { root, name } = found
  const { at } = followPath(root, 'apiVersion').node
  const about = { object: name, root, at }
  const { replacement, steps = [], instead } = row
  if (replacement === undefined) {
    const why = instead === undefined ? 'remove it' : `use ${instead}`
    return { ...about, edits: [], obstacles: [{ path: 'apiVersion', at, why }] }
  }
  const own = steps.filter(({ kind = name.kind }) => kind === name.kind)
  const { edits, obstacles } = migrate(text, root, own)
  return {
    ...about,
    replacement,
    obstacles,
    edits: [versionEdit(text, at, replacement), ...edits],
  }
}

/** The version within the quotes that it has. */
function versionEdit(text: string, { offset, end }: TextRange, version: string): TextEdit {
  const quoted = /^["']/.test(text[offset] ?? '') ? 1 : 0
  return { start: offset + quoted, end: end - quoted, text: version }
}
