/** Configuration files of daemons, and the newest version of their kinds. */
import { readFile } from 'node:fs/promises'
import { configKinds } from '../../../generated/config.ts'
import { nodeAt, outlineOf, textAt } from '../../../runtime/editor/editor.ts'
import { compareVersions } from '../../../runtime/kernel/meta/version-order.ts'
import { type Finding, rules } from '../../../runtime/validate/validate.ts'
import { edited } from '../edited-files.ts'
import type { FoundFile } from '../validate/files.ts'
import type { ChangedFiles } from './changed-files.ts'

/** Files of an older version become files of the newest one, if that says the same. */
export async function migratedConfigurations(files: readonly FoundFile[]): Promise<ChangedFiles> {
  const [before, after] = [new Map<string, string>(), new Map<string, string>()]
  const refused: Finding[] = []
  for (const { name } of files) {
    const text = await readFile(name, 'utf8')
    const fresh = await migrated(name, text)
    if (fresh === undefined) continue
    before.set(name, text)
    if (typeof fresh === 'string') after.set(name, fresh)
    else refused.push(...fresh)
  }
  return { before, after, refused }
}

async function migrated(
  name: string,
  text: string,
): Promise<string | readonly Finding[] | undefined> {
  if (!/^(?:apiVersion|\s*["']?apiVersion["']?\s*:|\{)/m.test(text)) return undefined
  const documents = outlineOf(text).filter(({ value }) => value !== undefined)
  const [document] = documents
  if (document === undefined || documents.length > 1) return undefined
  const [version = '', kind = ''] = [textAt(document, 'apiVersion'), textAt(document, 'kind')]
  const newest = newestOf(version, kind)
  const node = nodeAt(document, ['apiVersion'])
  if (newest === undefined || node === undefined) return undefined
  const quote = /^["']/.test(text[node.start] ?? '') ? 1 : 0
  const edit = { start: node.start + quote, end: node.end - quote, text: newest }
  const fresh = edited(text, [[edit]])
  const { configFindings } = await import('../config.ts')
  const found = await configFindings({ name, text: fresh })
  if (found.length === 0) return fresh
  const { severity } = rules['migrate.refused']
  return found.map(({ message, line = 1, column = 1 }) => ({
    rule: 'migrate.refused',
    severity,
    message: `${version} ${kind} cannot become ${newest}: ${message}`,
    file: name,
    at: placeOf(fresh, line, column),
  }))
}

/** Both texts have the same lines; only the one with the version is longer or shorter. */
function placeOf(text: string, line: number, column: number) {
  const lines = text.split('\n').slice(0, line - 1)
  const offset = lines.reduce((sum, one) => sum + one.length + 1, 0) + column - 1
  return { line, column, offset, end: offset + 1 }
}

/** A newer version than this one of a configuration kind, in its group or in the group that took the kind over. */
function newestOf(apiVersion: string, kind: string): string | undefined {
  if (!Object.hasOwn(configKinds, `${apiVersion}/${kind}`)) return undefined
  const all = Object.keys(configKinds)
    .filter((key) => key.endsWith(`/${kind}`))
    .map((key) => key.slice(0, -kind.length - 1))
  const version = (one: string) => one.slice(one.lastIndexOf('/') + 1)
  const [newest] = all.sort((a, b) => compareVersions(version(a), version(b)))
  return newest === apiVersion ? undefined : newest
}
