/** From texts to the output folder: finds the differences, and writes them. */
import { mkdir, rm, rmdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isGenerated } from './header.ts'
import { manifestName, readManifest, readText } from './manifest.ts'

/** What has to happen to one file. `before` is absent for a new file, `after` for one that is to be removed. */
export interface Change {
  readonly path: string
  readonly before?: string
  readonly after?: string
}

/** The texts of the files that an earlier run wrote into a folder, by path. */
export async function readGenerated(out: string): Promise<ReadonlyMap<string, string>> {
  const paths = Object.keys((await readManifest(out))?.outputs ?? {}).filter(isInside)
  const texts = paths.map((path) => [path, readText(out, path)] as const)
  return new Map(texts.flatMap(([path, text]) => (text === undefined ? [] : [[path, text]])))
}

/**
 * What separates a folder from the files that it should hold, in order of paths. Files that an earlier run wrote and
 * this one does not are removed; other files in the folder are left alone.
 */
export async function changesOf(
  out: string,
  files: ReadonlyMap<string, string>,
  present: ReadonlyMap<string, string> = new Map(),
): Promise<readonly Change[]> {
  const earlier = Object.keys((await readManifest(out))?.outputs ?? {}).filter(isInside)
  const paths = [...new Set([...files.keys(), ...earlier])].sort()
  const changes = paths.map((path): Change => {
    const before = present.get(path) ?? readText(out, path)
    const after = files.get(path)
    return {
      path,
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    }
  })
  return changes.filter(({ before, after }) => before !== after)
}

/** The paths of changes that would overwrite a file that orch did not generate. */
export async function foreignFiles(
  out: string,
  changes: readonly Change[],
): Promise<readonly string[]> {
  const earlier = (await readManifest(out))?.outputs ?? {}
  return changes
    .filter(({ path, before }) => before !== undefined && !isGeneratedFile(path, before, earlier))
    .map(({ path }) => path)
}

/** Writes and removes files; a folder that becomes empty is removed too. */
export async function applyChanges(out: string, changes: readonly Change[]): Promise<void> {
  for (const { path, after } of changes) {
    const file = join(out, path)
    if (after === undefined) {
      await rm(file, { force: true })
      await removeEmpty(dirname(path), out)
    } else {
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, after)
    }
  }
}

/** A file without comments has no header: it is generated if the manifest says that an earlier run wrote it. */
function isGeneratedFile(
  path: string,
  text: string,
  earlier: Readonly<Record<string, string>>,
): boolean {
  if (path === manifestName) return text.trimStart().startsWith('{')
  return isGenerated(text) || (path.endsWith('.json') && Object.hasOwn(earlier, path))
}

/** True for a path inside the folder: a manifest is a file that can be edited, and must not lead out of it. */
function isInside(path: string): boolean {
  return !path.startsWith('/') && !path.split(/[/\\]/).includes('..')
}

async function removeEmpty(folder: string, out: string): Promise<void> {
  if (folder === '.') return
  const gone = await rmdir(join(out, folder)).then(
    () => true,
    () => false,
  )
  if (gone) await removeEmpty(dirname(folder), out)
}
