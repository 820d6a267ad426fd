import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import {
  createProtocolConnection,
  type ProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node'
import { parseDocument } from 'yaml'
import type { Report } from './report.ts'
import { median } from './servers.ts'

const command = fileURLToPath(new URL('../orch/main.js', import.meta.url))
/** How often each question is asked; the first half warms up. */
const rounds = 40

/** What an editor waits for on a file of 2,000 lines, each time after a key, while the file is checked beside. */
export async function bench(report: Report): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'orch-bench-'))
  const server = spawn(process.execPath, [command, 'lsp'], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => server.once('exit', resolve))
  const connection = createProtocolConnection(
    new StreamMessageReader(server.stdout),
    new StreamMessageWriter(server.stdin),
  )
  try {
    await measured(connection, root, report)
  } finally {
    await connection.sendRequest('shutdown')
    await connection.sendNotification('exit')
    await ended
    connection.dispose()
    await rm(root, { recursive: true })
  }
}

async function measured(connection: ProtocolConnection, root: string, report: Report) {
  const text = longManifest()
  const limit = { name: 'parsing the file once', value: parsing(text) }
  const file = new EditedFile(connection, pathToFileURL(join(root, 'web.yaml')).href, text)
  const checked = new Promise<void>((resolve) => {
    connection.onNotification('$/orch/checked', () => resolve())
  })
  connection.onRequest('client/registerCapability', () => null)
  connection.listen()
  const folder = { uri: pathToFileURL(root).href, name: 'root' }
  const capabilities = { workspace: { didChangeWatchedFiles: { dynamicRegistration: true } } }
  await connection.sendRequest('initialize', {
    ...{ processId: process.pid, rootUri: folder.uri, capabilities, workspaceFolders: [folder] },
  })
  await connection.sendNotification('initialized', {})
  await file.open()
  await checked
  for (const method of ['completion', 'hover', 'definition', 'documentSymbol']) {
    const times: number[] = []
    for (let round = 0; round < rounds; round++) times.push(await file.answer(method, round))
    const late = times.slice(rounds / 2).sort((a, b) => a - b)
    const slow = late[Math.floor(late.length * 0.95)] ?? 0
    report(`${method} after a key, 2,000 lines, p95`, slow, 'ms', limit, { atMost: 50 })
  }
  const found: number[] = []
  for (let round = 0; round < rounds / 2; round++) found.push(await file.found(round))
  const late = median(found.slice(rounds / 4))
  report('findings after a key and a pause, 2,000 lines, median', late, 'ms', limit)
}

/** A text that an author types in. */
class EditedFile {
  readonly #connection: ProtocolConnection
  readonly #uri: string
  readonly #text: string
  readonly #line: number
  #version = 1

  constructor(connection: ProtocolConnection, uri: string, text: string) {
    this.#connection = connection
    this.#uri = uri
    this.#text = text
    this.#line = text.slice(0, text.lastIndexOf('imagePullPolicy')).split('\n').length - 1
  }

  async open(): Promise<void> {
    const document = { uri: this.#uri, languageId: 'yaml', version: 1, text: this.#text }
    await this.#connection.sendNotification('textDocument/didOpen', { textDocument: document })
  }

  /** Types a letter and asks: the milliseconds until the answer is there. */
  async answer(method: string, round: number): Promise<number> {
    const start = performance.now()
    const asked = await this.#type(round)
    await this.#connection.sendRequest(`textDocument/${method}`, asked)
    return performance.now() - start
  }

  /** Types a letter: the milliseconds until the findings of the text are there. */
  async found(round: number): Promise<number> {
    const start = performance.now()
    const version = this.#version + 1
    const found = new Promise<void>((resolve) => {
      this.#connection.onNotification('textDocument/publishDiagnostics', (said) => {
        if (said.version === version) resolve()
      })
    })
    await this.#type(round)
    await found
    return performance.now() - start
  }

  async #type(round: number) {
    const position = { line: this.#line, character: 20 }
    const text = 'abcdefghij'[round % 10] ?? 'a'
    const contentChanges = [{ range: { start: position, end: position }, text }]
    const textDocument = { uri: this.#uri, version: ++this.#version }
    await this.#connection.sendNotification('textDocument/didChange', {
      ...{ textDocument, contentChanges },
    })
    return { textDocument, position }
  }
}

/** A deployment of so many containers that it has 2,000 lines. */
function longManifest(): string {
  const head = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
`
  const container = (index: number) => `        - name: web-${index}
          image: registry.example.org/web:1.4
          imagePullPolicy: IfNotPresent
          env:
            - name: LEVEL
              valueFrom:
                configMapKeyRef: {name: settings, key: level}
          resources:
            requests: {cpu: 100m, memory: 64Mi}
            limits: {memory: 128Mi}
`
  return head + Array.from({ length: 199 }, (_, index) => container(index)).join('')
}

/** The median of some readings of the whole text by the parser. */
function parsing(text: string): number {
  const times = Array.from({ length: 9 }, () => {
    const start = performance.now()
    parseDocument(text)
    return performance.now() - start
  })
  return median(times)
}
