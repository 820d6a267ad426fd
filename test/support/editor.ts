/** An editor: starts `orch lsp` and speaks with it as editors do. */
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import {
  createProtocolConnection,
  type Diagnostic,
  type InitializeResult,
  type ProtocolConnection,
  type PublishDiagnosticsParams,
  StreamMessageReader,
  StreamMessageWriter,
  type WorkspaceFolder,
} from 'vscode-languageserver/node'

const command = fileURLToPath(new URL('../../tools/orch/main.js', import.meta.url))

/** A running server, its documents and what it says of them. */
export class Editor {
  readonly child: ChildProcess
  readonly connection: ProtocolConnection
  readonly root: string
  /** By the address of a file. */
  readonly diagnostics = new Map<string, readonly Diagnostic[]>()
  #versions = new Map<string, number>()
  #texts = new Map<string, string>()
  #heard: (() => void)[] = []
  #settled = 0

  constructor(root: string, args: readonly string[] = []) {
    this.root = root
    this.child = spawn(process.execPath, [command, 'lsp', '--stdio', ...args], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const { stdin, stdout } = this.child
    if (stdin === null || stdout === null) throw new Error('the server has no streams')
    this.connection = createProtocolConnection(
      new StreamMessageReader(stdout),
      new StreamMessageWriter(stdin),
    )
    this.connection.onNotification(
      'textDocument/publishDiagnostics',
      (said: PublishDiagnosticsParams) => {
        this.diagnostics.set(said.uri, said.diagnostics)
        this.#tell()
      },
    )
    this.connection.onNotification('$/orch/checked', () => {
      this.#settled++
      this.#tell()
    })
    this.connection.onRequest('client/registerCapability', () => null)
    this.connection.listen()
  }

  /** Starts the session; `capabilities` are those of the editor. */
  async start(capabilities: object = watching): Promise<InitializeResult> {
    const folders: WorkspaceFolder[] = [{ uri: pathToFileURL(this.root).href, name: 'root' }]
    const result: InitializeResult = await this.connection.sendRequest('initialize', {
      ...{ processId: process.pid, capabilities, workspaceFolders: folders },
      rootUri: folders[0]?.uri ?? null,
    })
    await this.connection.sendNotification('initialized', {})
    return result
  }

  /** The address of a file. */
  uri(name: string): string {
    return pathToFileURL(`${this.root}/${name}`).href
  }

  /** Opens a text in place of a file, or gives an open one another text. */
  async type(name: string, text: string): Promise<void> {
    const uri = this.uri(name)
    const version = (this.#versions.get(name) ?? 0) + 1
    this.#versions.set(name, version)
    this.#texts.set(name, text)
    if (version === 1) {
      const textDocument = { uri, languageId: 'yaml', version, text }
      return this.connection.sendNotification('textDocument/didOpen', { textDocument })
    }
    const contentChanges = [{ text }]
    return this.connection.sendNotification('textDocument/didChange', {
      ...{ textDocument: { uri, version }, contentChanges },
    })
  }

  /** Closes an open text. */
  async shut(name: string): Promise<void> {
    this.#versions.delete(name)
    const textDocument = { uri: this.uri(name) }
    return this.connection.sendNotification('textDocument/didClose', { textDocument })
  }

  /** Tells that a file was written or removed. */
  async changedOnDisk(name: string): Promise<void> {
    const changes = [{ uri: this.uri(name), type: 2 }]
    return this.connection.sendNotification('workspace/didChangeWatchedFiles', { changes })
  }

  /** Asks about the place where a bar stands in the text, which is opened without it. */
  async ask<T>(method: string, name: string, marked: string, more: object = {}): Promise<T> {
    const offset = marked.indexOf('|')
    const text = marked.slice(0, offset) + marked.slice(offset + 1)
    if (this.#texts.get(name) !== text) await this.type(name, text)
    const before = text.slice(0, offset).split('\n')
    const position = { line: before.length - 1, character: before.at(-1)?.length ?? 0 }
    const textDocument = { uri: this.uri(name) }
    return this.connection.sendRequest(`textDocument/${method}`, {
      textDocument,
      position,
      ...more,
    })
  }

  /** Asks about a whole text. */
  async about<T>(method: string, name: string, more: object = {}): Promise<T> {
    return this.connection.sendRequest(`textDocument/${method}`, {
      textDocument: { uri: this.uri(name) },
      ...more,
    })
  }

  /** Waits until it holds, looking at it again whenever the server says something. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => this.#heard.push(resolve))
  }

  /** Waits until everything was checked for the first time. */
  async checked(): Promise<void> {
    await this.until(() => this.#settled > 0)
  }

  /** Asks until the answer is as it has to be, again whenever the server says something. */
  async eventually(ask: () => Promise<boolean>): Promise<void> {
    while (!(await ask())) await new Promise<void>((resolve) => this.#heard.push(resolve))
  }

  /** The rules of the diagnostics of a file. */
  rules(name: string): readonly string[] {
    return (this.diagnostics.get(this.uri(name)) ?? []).map(({ code }) => String(code))
  }

  /** Ends the session; the exit code of the server. */
  async end(): Promise<number | null> {
    const ended = new Promise<number | null>((resolve) => this.child.once('exit', resolve))
    await this.connection.sendRequest('shutdown')
    await this.connection.sendNotification('exit')
    const code = await ended
    this.connection.dispose()
    return code
  }

  #tell(): void {
    for (const resolve of this.#heard.splice(0)) resolve()
  }
}

/** An editor that tells of files on disk. */
const watching = {
  workspace: { didChangeWatchedFiles: { dynamicRegistration: true }, workspaceFolders: true },
}
