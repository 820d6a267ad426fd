/** From an operator's schema files and controllers to its package on disk. */
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { generateDefinitions } from '../../../codegen/main.ts'
import {
  type Access,
  type AccessRule,
  accessRules,
  type KeyController,
} from '../../../runtime/reconcile/reconcile.ts'
import type { AnyAdmissionWebhook } from '../../../runtime/webhook-server/webhook-server.ts'
import { declaredWork, PackageError } from './controllers.ts'
import { madeBy, type PackageFormat, packageFiles } from './files.ts'
import { type PackageSettings, publicGroup } from './settings.ts'

export { PackageError } from './controllers.ts'

/** What is packaged, and where to. */
export interface PackageRequest {
  readonly controllers: string
  readonly schemas: string | undefined
  readonly settings: PackageSettings
  readonly format: PackageFormat
  readonly out: string
  /** Change nothing, and say what would change. */
  readonly check: boolean
}

/** The files that changed, or with `check` would change. */
export interface PackageOutcome {
  readonly changed: readonly string[]
  /** With `check`: the changes as a unified diff. */
  readonly diff: string
}

/**
 * Brings the folder to what the schema files and the controllers say.
 *
 * @throws PackageError if they cannot be read, or a file is in the way that the command did not write.
 */
export async function packageOperator(request: PackageRequest): Promise<PackageOutcome> {
  const { settings, format, out, check } = request
  const { controllers, webhooks } = await declaredWork(request.controllers)
  const access = publicNames(accessRules([...controllers, ...webhooks.map(readsOf)]))
  const texts = await definitionTexts(request.schemas)
  const kinds = [...new Set(controllers.flatMap((one) => ('for' in one ? [one.for] : [])))]
  const files = packageFiles({ settings, access, texts, webhooks, kinds }, format)
  const present = await presentFiles(out)
  const paths = [...new Set([...files.keys(), ...present.keys()])].sort()
  const changes = paths.flatMap((path) => {
    const [before, after] = [present.get(path), files.get(path)]
    const isOwn = before?.startsWith(madeBy) ?? true
    return before === after || (after === undefined && !isOwn)
      ? []
      : [{ path, before, after, isOwn }]
  })
  const foreign = changes
    .filter(({ isOwn }) => !isOwn)
    .map(({ path }) => relative('', join(out, path)))
  if (foreign.length > 0) {
    throw new PackageError(`not overwriting what orch package did not write: ${foreign.join(', ')}`)
  }
  const changed = changes.map(({ path }) => path)
  if (check) return { changed, diff: await diffOf(out, changes) }
  await mkdir(out, { recursive: true })
  for (const { path, after } of changes) {
    const file = join(out, path)
    await (after === undefined ? rm(file) : writeFile(file, after))
  }
  return { changed, diff: '' }
}

/** A webhook may read what it says it does, not the kind that it is for. */
function readsOf({ reads = [] }: AnyAdmissionWebhook): Pick<KeyController, 'reads'> {
  return { reads }
}

/** Rules name groups as clusters do. */
function publicNames({ cluster, everywhere, inNamespace }: Access): Access {
  const named = (rules: readonly AccessRule[]) =>
    rules.map((rule) => ({
      ...rule,
      apiGroups: rule.apiGroups.map(publicGroup),
    }))
  const places = Object.entries(inNamespace).map(([name, rules]) => [name, named(rules)] as const)
  return {
    cluster: named(cluster),
    everywhere: named(everywhere),
    inNamespace: Object.fromEntries(places),
  }
}

async function definitionTexts(schemas: string | undefined): Promise<ReadonlyMap<string, string>> {
  if (schemas === undefined) return new Map()
  if (!existsSync(schemas)) throw new PackageError(`${schemas}: no such folder`)
  const { files, findings, report } = await generateDefinitions(schemas)
  if (findings.length > 0) throw new PackageError(`${schemas}:\n${report.trimEnd()}`)
  return files
}

/** The files that stand in the folder itself. */
async function presentFiles(out: string): Promise<ReadonlyMap<string, string>> {
  if (!existsSync(out)) return new Map()
  const entries = await readdir(out, { withFileTypes: true })
  const texts = entries
    .filter((entry) => entry.isFile())
    .map(async ({ name }) => [name, await readFile(join(out, name), 'utf8')] as const)
  return new Map(await Promise.all(texts))
}

interface FileChange {
  readonly path: string
  readonly before: string | undefined
  readonly after: string | undefined
}

async function diffOf(out: string, changes: readonly FileChange[]): Promise<string> {
  const { printDiff } = await import('../../../codegen/print/diff.ts')
  const all = changes.map(({ path, before, after }) => ({
    path,
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
  }))
  return printDiff(relative('', out) || '.', all)
}
