import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { type BuildFailure, build, formatMessages } from 'esbuild'

/** Which program is run, and where what it prints goes. */
export interface DevOperatorOptions {
  /** The program: TypeScript or JavaScript. */
  readonly file: string
  /** Variables that it finds beside those of this process. */
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly print: (line: string) => void
}

/** What came of a build. */
export interface OperatorBuild {
  /** What is wrong with the program, each with its place. */
  readonly errors: readonly string[]
  /** True if it is another program than the last one that was right. */
  readonly changed: boolean
  /** Folders with files that the program is made of; empty if there are errors. */
  readonly folders: readonly string[]
}

/** Milliseconds that a program has to end by itself. */
const graceMs = 10_000

/** A program that is joined into one file, and started again when that becomes another one. */
export class DevOperator {
  readonly #options: DevOperatorOptions
  /** Within the project, so that the program finds the packages that are installed there. */
  readonly #bundle = resolve('node_modules/.cache/orch/operator.mjs')
  #text = ''
  #child: ChildProcess | undefined

  constructor(options: DevOperatorOptions) {
    this.#options = options
  }

  /** True from `start` until the program has ended. */
  get runs(): boolean {
    return this.#child !== undefined
  }

  /** Joins the program; packages stay where Node finds them. */
  async build(): Promise<OperatorBuild> {
    try {
      const { metafile, outputFiles } = await build({
        entryPoints: [this.#options.file],
        outfile: this.#bundle,
        bundle: true,
        format: 'esm',
        platform: 'node',
        target: 'node20',
        packages: 'external',
        sourcemap: 'inline',
        metafile: true,
        write: false,
        logLevel: 'silent',
      })
      const text = outputFiles[0]?.text ?? ''
      const changed = text !== this.#text
      this.#text = text
      const folders = Object.keys(metafile.inputs).map((path) => dirname(resolve(path)))
      return { errors: [], changed, folders: [...new Set(folders)] }
    } catch (error) {
      const { errors } = error as BuildFailure
      if (errors === undefined) throw error
      const shown = await formatMessages(errors, { kind: 'error' })
      return { errors: shown.map((each) => each.trimEnd()), changed: false, folders: [] }
    }
  }

  /** Ends the program that runs, if one does, and starts the one that was built last. */
  async start(): Promise<void> {
    const { variables, print } = this.#options
    await this.stop()
    await mkdir(dirname(this.#bundle), { recursive: true })
    await writeFile(this.#bundle, this.#text)
    const child = spawn(process.execPath, ['--enable-source-maps', this.#bundle], {
      env: variables,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => print(line))
    }
    child.once('close', (code, signal) => {
      if (this.#child !== child) return
      this.#child = undefined
      print(`the operator ended with ${code ?? signal}; it starts again when a file is saved`)
    })
  }

  /** Asks the program to end, and ends it if it does not. */
  async stop(): Promise<void> {
    const child = this.#child
    if (child === undefined) return
    this.#child = undefined
    const closed = once(child, 'close')
    const late = setTimeout(() => child.kill('SIGKILL'), graceMs)
    child.kill('SIGTERM')
    await closed
    clearTimeout(late)
  }
}
