/** Which files a run is about. */
import { existsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { isKustomization, partsOf } from './kustomizations.ts'

/** A file, under the name that findings have for it. */
export interface FoundFile {
  readonly name: string
  /** It was named itself, and not found in a folder. */
  readonly named: boolean
  /** It can be read only once: standard input, or a pipe that was named. */
  readonly once?: true
}

/** The files that paths mean, and the paths that mean none. */
export interface FoundFiles {
  readonly files: readonly FoundFile[]
  readonly problems: readonly string[]
  /** Charts, whose templates are no documents yet. */
  readonly charts: readonly string[]
  /** Folders of kustomizations with files that are no objects. */
  readonly kustomizations: readonly string[]
  /** Those files, as absolute paths. */
  readonly parts: ReadonlySet<string>
}

/** What is found on the way through folders. */
interface Beside {
  readonly charts: string[]
  readonly kustomizations: string[]
  readonly parts: Set<string>
}

const isDocument = /\.(ya?ml|json)$/i
/** What other tools are configured with: their output is checked, not these. */
const isOther = /^(Chart\.yaml|Chart\.lock|package(-lock)?\.json|tsconfig\.json)$/
/** What the templates of a chart are filled in with. */
const isValues = /^values([.-].*)?\.(ya?ml|json)$/
const skipped = new Set(['node_modules', '.git'])

/** True for a file that is looked at where its folder is named, by its own name. */
export function isManifest(path: string): boolean {
  const name = basename(path)
  return isDocument.test(name) && !isOther.test(name) && !isKustomization(name)
}

/** True for a template of a chart, which is no document yet. */
export function isTemplate(path: string): boolean {
  const folder = dirname(path)
  if (folder === path) return false
  const isOfChart = basename(folder) === 'templates' && existsSync(join(folder, '../Chart.yaml'))
  return isOfChart || isTemplate(folder)
}

/** The files of folders, globs and names, each once, in the order of their names. `-` is standard input. */
export async function findFiles(paths: readonly string[]): Promise<FoundFiles> {
  const files = new Map<string, FoundFile>()
  const problems: string[] = []
  const beside: Beside = { charts: [], kustomizations: [], parts: new Set() }
  for (const path of paths) {
    const found =
      path === '-' ? [{ name: '-', named: true, once: true } as const] : await filesOf(path, beside)
    if (found.length === 0) problems.push(`${path}: there is no such file, and no document in it`)
    for (const file of found) if (!files.has(file.name)) files.set(file.name, file)
  }
  const { parts } = beside
  const isPart = ({ name, named }: FoundFile) => !named && parts.has(resolve(name))
  const found = [...files.values()]
  const whole = parts.size === 0 ? found : found.filter((file) => !isPart(file))
  const sorted = whole.sort((a, b) => (a.name < b.name ? -1 : 1))
  return { files: sorted, problems, ...beside }
}

async function filesOf(path: string, beside: Beside): Promise<readonly FoundFile[]> {
  const info = await stat(path).catch(() => undefined)
  if (info?.isDirectory()) return folder(path, beside)
  if (info !== undefined) {
    return [{ name: path, named: true, ...(!info.isFile() && { once: true as const }) }]
  }
  if (!/[*?[{]/.test(path)) return []
  const { glob } = await import('tinyglobby')
  const names = await glob(path, { dot: false, ignore: ['**/node_modules/**', '**/.git/**'] })
  return names.map((name) => ({ name, named: true }))
}

/** The documents below a folder. Links are not followed, so that there is no circle. */
async function folder(path: string, beside: Beside): Promise<readonly FoundFile[]> {
  const entries = await readdir(path, { withFileTypes: true })
  const isChart = entries.some(({ name }) => name === 'Chart.yaml')
  if (isChart) beside.charts.push(path)
  for (const { name } of entries.filter((entry) => isKustomization(entry.name))) {
    const parts = await partsOf(join(path, name))
    if (parts.length > 0) beside.kustomizations.push(path)
    for (const part of parts) beside.parts.add(part)
  }
  const found = await Promise.all(
    entries.map(async (entry): Promise<readonly FoundFile[]> => {
      const name = join(path, entry.name)
      const isTemplates = isChart && ['templates', 'ci'].includes(entry.name)
      if (entry.isDirectory()) {
        return skipped.has(entry.name) || isTemplates ? [] : folder(name, beside)
      }
      if (isChart && isValues.test(entry.name)) return []
      return isManifest(entry.name) ? [{ name, named: false }] : []
    }),
  )
  return found.flat()
}
