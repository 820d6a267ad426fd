/** The server of an editor: documents that are open, files on disk, and what the editor asks. */
import { watch } from 'node:fs'
import { basename, join, sep } from 'node:path'
import {
  type Connection,
  DidChangeWatchedFilesNotification,
  type InitializeParams,
  type InitializeResult,
  TextDocumentSyncKind,
  TextDocuments,
} from 'vscode-languageserver'
import { TextDocument } from 'vscode-languageserver-textdocument'
import { packageVersion } from '../../../daemons/version.ts'
import { maxTextLength, outlineOf, textAt } from '../../../runtime/editor/editor.ts'
import { findFiles, isManifest, isTemplate } from '../validate/files.ts'
import { isKustomization } from '../validate/kustomizations.ts'
import { serveAnswers } from './answers.ts'
import { diagnosticOf } from './diagnostics.ts'
import { type Folder, Folders } from './folders.ts'
import type { CheckSettings } from './messages.ts'
import { nameOf, uriOf } from './places.ts'

/** How long an author pauses before a text is checked. */
const pauseMs = 120

/** Serves a connection until it ends. */
export class LanguageServer {
  readonly #connection: Connection
  readonly #settings: CheckSettings
  readonly #documents = new TextDocuments(TextDocument)
  readonly #waiting = new Map<string, NodeJS.Timeout>()
  /** The texts that were sent to be checked, for the places of their findings. */
  readonly #sent = new Map<string, TextDocument>()
  /** What kustomizations read that are no objects, by the folder of the workspace. */
  readonly #parts = new Map<string, ReadonlySet<string>>()
  readonly #watchers: { close(): void }[] = []
  #folders: Promise<Folders> | undefined
  #canWatch = false
  #canHearOfFolders = false

  constructor(connection: Connection, settings: CheckSettings) {
    this.#connection = connection
    this.#settings = settings
  }

  /** Listens. */
  start(): void {
    const connection = this.#connection
    connection.onInitialize((params) => this.#initialize(params))
    connection.onInitialized(() => void this.#initialized())
    connection.onDidChangeWatchedFiles(({ changes }) => {
      void this.#changedOnDisk(changes.map(({ uri }) => nameOf(uri)))
    })
    connection.onShutdown(() => this.close())
    this.#documents.onDidChangeContent(({ document }) => this.#changed(document))
    this.#documents.onDidClose(({ document }) => void this.#closed(document))
    this.#documents.listen(connection)
    serveAnswers(connection, {
      document: (uri) => this.#documents.get(uri),
      documents: () => this.#documents.all(),
      folders: () => this.#folders as Promise<Folders>,
    })
    connection.listen()
  }

  async #initialize(params: InitializeParams): Promise<InitializeResult> {
    const { capabilities, workspaceFolders, rootUri } = params
    this.#canWatch = capabilities.workspace?.didChangeWatchedFiles?.dynamicRegistration === true
    this.#canHearOfFolders = capabilities.workspace?.workspaceFolders === true
    this.#folders = Folders.open(this.#settings, {
      checked: (folder, name) => this.#publish(folder, name),
      settled: ({ name }) =>
        void this.#connection.sendNotification('$/orch/checked', { uri: uriOf(name) }),
      failed: (message) => this.#connection.console.error(message),
    })
    const folders = await this.#folders
    const roots = workspaceFolders?.map(({ uri }) => uri) ?? (rootUri ? [rootUri] : [])
    for (const uri of roots) folders.add(nameOf(uri))
    return {
      serverInfo: { name: 'orch lsp', version: packageVersion() },
      capabilities: {
        textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental },
        completionProvider: { triggerCharacters: [':', ' ', '-', '"', '/'] },
        hoverProvider: true,
        definitionProvider: true,
        typeDefinitionProvider: true,
        referencesProvider: true,
        renameProvider: { prepareProvider: true },
        documentSymbolProvider: true,
        documentLinkProvider: { resolveProvider: false },
        foldingRangeProvider: true,
        codeActionProvider: { codeActionKinds: ['quickfix', 'source.fixAll.orch'] },
        workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
      },
    }
  }

  async #initialized(): Promise<void> {
    const folders = await (this.#folders as Promise<Folders>)
    if (this.#canHearOfFolders) {
      this.#connection.workspace.onDidChangeWorkspaceFolders(({ added, removed }) => {
        for (const { uri } of removed) {
          folders.remove(nameOf(uri))
          this.#parts.delete(nameOf(uri))
        }
        for (const { uri } of added) void this.#addFolder(folders, nameOf(uri))
      })
    }
    if (this.#canWatch) {
      const watchers = ['**/*.{yaml,yml,json}', '**/Kustomization'].map((globPattern) => ({
        globPattern,
      }))
      void this.#connection.client.register(DidChangeWatchedFilesNotification.type, { watchers })
    }
    await Promise.all([...folders.roots].map((root) => this.#addFolder(folders, root)))
  }

  async #addFolder(folders: Folders, root: string): Promise<void> {
    folders.add(root)
    if (!this.#canWatch) this.#watch(root)
    await this.#readFolder(folders, root)
  }

  /** Reads which files of a folder count: all that are found at first, later those of which kustomizations say something else. */
  async #readFolder(folders: Folders, root: string): Promise<void> {
    const { files, parts } = await findFiles([root])
    const before = this.#parts.get(root)
    this.#parts.set(root, parts)
    const names = files.map(({ name }) => name).filter((name) => before?.has(name) ?? true)
    const leftOut = [...parts].filter((name) => before?.has(name) !== true)
    for (const name of leftOut) this.#sent.delete(name)
    folders.change(folders.of(join(root, 'x')), [
      ...names.filter((name) => !this.#sent.has(name)).map((name) => ({ name })),
      ...leftOut.map((name) => ({ name, isLeftOut: true as const })),
    ])
    if (before === undefined) return
    for (const { uri } of this.#documents.all()) {
      if (names.includes(nameOf(uri))) void this.#send(uri)
    }
  }

  /** True for a file that a run over its folder looks at. */
  #isLookedAt(name: string): boolean {
    if (/[\\/](node_modules|\.git)[\\/]/.test(name) || this.#isPart(name)) return false
    return isManifest(name) && !isTemplate(name)
  }

  #isPart(name: string): boolean {
    return [...this.#parts.values()].some((parts) => parts.has(name))
  }

  /** For editors that do not tell of files on disk. */
  #watch(root: string): void {
    try {
      const watcher = watch(root, { recursive: true }, (_event, path) => {
        if (path !== null) void this.#changedOnDisk([join(root, path)])
      })
      watcher.on('error', () => watcher.close())
      this.#watchers.push(watcher)
    } catch (error) {
      this.#connection.console.warn(`${root} is not watched: ${(error as Error).message}`)
    }
  }

  async #changedOnDisk(names: readonly string[]): Promise<void> {
    const folders = await (this.#folders as Promise<Folders>)
    const kustomizations = names.filter((name) => isKustomization(basename(name)))
    const roots = [...folders.roots].filter((root) =>
      kustomizations.some((name) => name.startsWith(join(root, sep))),
    )
    for (const root of roots) await this.#readFolder(folders, root)
    for (const name of names) {
      if (!this.#isLookedAt(name) || this.#sent.has(name)) continue
      folders.change(folders.of(name), [{ name }])
    }
  }

  #changed({ uri }: TextDocument): void {
    const isNew = !this.#sent.has(nameOf(uri))
    clearTimeout(this.#waiting.get(uri))
    const send = () => void this.#send(uri)
    if (isNew) send()
    else this.#waiting.set(uri, setTimeout(send, pauseMs))
  }

  async #send(uri: string): Promise<void> {
    this.#waiting.delete(uri)
    const document = this.#documents.get(uri)
    const name = nameOf(uri)
    if (document === undefined || (uri.startsWith('file:') && !this.#isLookedAt(name))) return
    const text = document.getText()
    this.#sent.set(name, TextDocument.create(uri, document.languageId, document.version, text))
    const folders = await (this.#folders as Promise<Folders>)
    const folder = folders.of(name)
    folders.change(folder, [{ name, text }])
    for (const document of outlineOf(text.slice(0, maxTextLength))) {
      void folders.warm(
        folder,
        textAt(document, 'apiVersion') ?? '',
        textAt(document, 'kind') ?? '',
      )
    }
  }

  async #closed({ uri }: TextDocument): Promise<void> {
    const name = nameOf(uri)
    clearTimeout(this.#waiting.get(uri))
    this.#waiting.delete(uri)
    if (!this.#sent.delete(name)) return
    const folders = await (this.#folders as Promise<Folders>)
    const folder = folders.of(name)
    if (folder.name === name) folders.remove(name)
    else folders.change(folder, [{ name }])
  }

  /** Findings of a text that is not that of the editor any more are left: new ones are on their way. */
  #publish({ findings }: Folder, name: string): void {
    const sent = this.#sent.get(name)
    const open = sent && this.#documents.get(sent.uri)
    if (sent !== undefined && open !== undefined && open.version !== sent.version) return
    const diagnostics = (findings.get(name) ?? []).map((one) => diagnosticOf(one, sent))
    void this.#connection.sendDiagnostics({
      ...{ uri: sent?.uri ?? uriOf(name), diagnostics },
      ...(open !== undefined && { version: open.version }),
    })
  }

  /** Ends what it started. */
  async close(): Promise<void> {
    for (const timer of this.#waiting.values()) clearTimeout(timer)
    for (const watcher of this.#watchers) watcher.close()
    await (await this.#folders)?.close()
  }
}
