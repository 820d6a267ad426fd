/** What is known of the folders of a workspace: findings and facts of their files, kinds, and the thread that finds them. */
import { relative, sep } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import {
  type EditorContext,
  Lines,
  outlinedFacts,
  outlineOf,
} from '../../../runtime/editor/editor.ts'
import type { FieldTypes } from '../../../runtime/kernel/descriptors/field-types.ts'
import { type Finding, type ObjectFacts, ObjectIndex } from '../../../runtime/validate/validate.ts'
import { type DaemonFacts, loadDaemonFacts, OpenCatalogue } from './catalogue.ts'
import type { ChangedFile, CheckSettings, FromChecker, ToChecker } from './messages.ts'
import { openPlatformFiles, type SchemaFiles } from './schema-files.ts'

/** How long schemas are read ahead before an editor is heard again. */
const sliceMs = 5

/** A folder whose files are checked together, or a file by itself that is in none. */
export interface Folder {
  readonly name: string
  readonly findings: Map<string, readonly Finding[]>
  readonly facts: Map<string, readonly ObjectFacts[]>
  catalogue: OpenCatalogue
  /** The kinds of the catalogue whose schemas are read. */
  warm: Set<string>
  /** Made of the facts when it is asked for. */
  objects: ObjectIndex | undefined
}

/** Whom folders tell. */
export interface FolderListener {
  checked(folder: Folder, name: string): void
  settled(folder: Folder): void
  failed(message: string): void
}

/** The folders of a workspace. */
export class Folders {
  readonly #all = new Map<string, Folder>()
  readonly #roots = new Set<string>()
  readonly #worker: Worker
  readonly #listener: FolderListener
  readonly #daemons: DaemonFacts
  readonly #own: SchemaFiles
  /** Schema files by the marks of their platform. */
  readonly #files: ReadonlyMap<string, readonly SchemaFiles[]>

  private constructor(
    settings: CheckSettings,
    listener: FolderListener,
    daemons: DaemonFacts,
    own: SchemaFiles,
    files: ReadonlyMap<string, readonly SchemaFiles[]>,
  ) {
    this.#listener = listener
    this.#daemons = daemons
    this.#own = own
    this.#files = files
    this.#worker = new Worker(new URL('./check-thread.js', import.meta.url), {
      workerData: settings,
    })
    this.#worker.on('message', (message: FromChecker) => this.#heard(message))
    this.#worker.on('error', (error) => listener.failed(`checking ended: ${error.message}`))
  }

  /** Starts the thread that checks. */
  static async open(settings: CheckSettings, listener: FolderListener): Promise<Folders> {
    const { own, byMarks } = await openPlatformFiles(settings.platform, settings.schemas)
    return new Folders(settings, listener, await loadDaemonFacts(), own, byMarks)
  }

  /** The folders of the workspace. */
  get roots(): ReadonlySet<string> {
    return this.#roots
  }

  /** Adds a folder of the workspace. */
  add(root: string): void {
    this.#roots.add(root)
  }

  /** Leaves a folder of the workspace out; its findings are told to be gone. */
  remove(root: string): void {
    this.#roots.delete(root)
    const folder = this.#all.get(root)
    if (folder === undefined) return
    this.#all.delete(root)
    this.#send({ is: 'close', folder: root })
    for (const name of folder.findings.keys()) {
      folder.findings.delete(name)
      this.#listener.checked(folder, name)
    }
  }

  /** The folder that a file is checked with: the innermost of the workspace that has it, or the file alone. */
  of(name: string): Folder {
    const root = [...this.#roots]
      .filter((one) => isWithin(one, name))
      .sort((a, b) => b.length - a.length)[0]
    return this.#folder(root ?? name)
  }

  /** Files of a folder have another text than before. */
  change(folder: Folder, files: readonly ChangedFile[]): void {
    if (files.length > 0) this.#send({ is: 'change', folder: folder.name, files })
  }

  /** What answers about a file are made of. */
  context(folder: Folder): EditorContext {
    folder.objects ??= new ObjectIndex([...folder.facts.values()].flat())
    const { catalogue, objects } = folder
    const types = (apiVersion: string, kind: string): FieldTypes | undefined =>
      catalogue.types(apiVersion, kind)
    return { catalogue, objects, types }
  }

  /** The same, with what the texts that are being edited say now. */
  contextNow(folder: Folder, open: ReadonlyMap<string, string>): EditorContext {
    const context = this.context(folder)
    const facts = new Map(folder.facts)
    for (const [name, text] of open) {
      if (this.of(name) === folder) facts.set(name, factsIn(name, text, context))
    }
    return { ...context, objects: new ObjectIndex([...facts.values()].flat()) }
  }

  /** Reads what the schema of a kind consists of, so that the first answer about it does not have to. */
  async warm({ catalogue, warm }: Folder, apiVersion: string, kind: string): Promise<void> {
    if (warm.has(`${apiVersion}/${kind}`)) return
    warm.add(`${apiVersion}/${kind}`)
    const root = catalogue.root(apiVersion, kind)
    const seen = new Set<string>()
    const left = root === undefined ? [] : [root]
    let since = performance.now()
    for (let schema = left.pop(); schema !== undefined; schema = left.pop()) {
      const { typePlace, part, fields } = schema
      const key = typePlace && `${typePlace.file}:${typePlace.line}`
      if (key !== undefined && seen.has(key)) continue
      if (key !== undefined) seen.add(key)
      left.push(...fields.map((one) => one.schema), ...(part === undefined ? [] : [part]))
      if (performance.now() - since < sliceMs) continue
      await setImmediate()
      since = performance.now()
    }
  }

  /** Ends the thread. */
  async close(): Promise<void> {
    await this.#worker.terminate()
  }

  #folder(name: string): Folder {
    const known = this.#all.get(name)
    if (known !== undefined) return known
    const catalogue = new OpenCatalogue([], this.#daemons, this.#own)
    const folder: Folder = {
      ...{ name, catalogue, warm: new Set() },
      ...{ findings: new Map(), facts: new Map(), objects: undefined },
    }
    this.#all.set(name, folder)
    return folder
  }

  #send(message: ToChecker): void {
    this.#worker.postMessage(message)
  }

  #heard(message: FromChecker): void {
    const folder = this.#all.get(message.folder)
    if (message.is === 'failed') this.#listener.failed(message.message)
    if (message.is === 'failed' || folder === undefined) return
    if (message.is === 'settled') {
      this.#listener.settled(folder)
      return
    }
    if (message.is === 'learned') {
      const platforms = message.platforms.map((known) => {
        return { known, files: this.#files.get(known.marks.join()) ?? [this.#own] }
      })
      folder.catalogue = new OpenCatalogue(platforms, this.#daemons, this.#own)
      folder.warm = new Set()
      void this.warm(folder, 'apps/v1', 'Deployment')
      return
    }
    const { name, findings, facts } = message
    if (facts.length === 0) folder.facts.delete(name)
    else folder.facts.set(name, facts)
    folder.objects = undefined
    folder.findings.set(name, findings)
    this.#listener.checked(folder, name)
    if (findings.length === 0) folder.findings.delete(name)
  }
}

/** What the objects of a text that is being edited say. */
export function factsIn(
  name: string,
  text: string,
  context: EditorContext,
): readonly ObjectFacts[] {
  const lines = new Lines(text)
  return outlineOf(text).flatMap(({ value }) => {
    const facts = value && outlinedFacts(name, value, lines, context)
    return facts === undefined ? [] : [facts]
  })
}

function isWithin(folder: string, name: string): boolean {
  const path = relative(folder, name)
  return path !== '' && !path.startsWith(`..${sep}`) && path !== '..' && !path.startsWith(sep)
}
