import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'

/** Where what a check finds goes. */
export interface TypeCheckOptions {
  /** The words of the compiler, each mistake with its place. */
  readonly printError: (text: string) => void
  /** What came of a check, in one line. */
  readonly say: (line: string) => void
}

/**
 * Checks the types of the project beside everything else: neither the server nor the operator waits for it. The compiler is that of the
 * project, with its settings; a project without one is not checked.
 */
export class TypeCheck {
  readonly #options: TypeCheckOptions
  #child: ChildProcess | undefined
  #stopped = false
  /** How many mistakes the last check found; undefined before the first. */
  #found: number | undefined

  constructor(options: TypeCheckOptions) {
    this.#options = options
  }

  /** Begins anew: what is under way has seen files that are saved again since. */
  async start(): Promise<void> {
    this.#end()
    const compiler = existsSync('tsconfig.json') ? await compilerOfProject() : undefined
    if (compiler === undefined || this.#stopped) return
    const info = resolve('node_modules/.cache/orch/types.tsbuildinfo')
    const args = ['--noEmit', '--incremental', '--tsBuildInfoFile', info, '--pretty', 'false']
    const child = spawn(process.execPath, [compiler, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      // The compiler may be a program that starts another one: both end together.
      detached: true,
    })
    this.#child = child
    let text = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
    }
    child.once('close', (code) => {
      if (this.#child !== child) return
      this.#child = undefined
      this.#tell(code ?? 1, text.trimEnd())
    })
  }

  stop(): void {
    this.#stopped = true
    this.#end()
  }

  #end(): void {
    const { pid } = this.#child ?? {}
    this.#child = undefined
    if (pid === undefined) return
    try {
      process.kill(-pid, 'SIGTERM')
    } catch {
      // It has ended by itself.
    }
  }

  /** Says what was found; that all is right, only if it was not before. */
  #tell(code: number, text: string): void {
    const { printError, say } = this.#options
    const before = this.#found
    const found = code === 0 ? 0 : Math.max(1, text.match(/\berror TS\d+:/g)?.length ?? 0)
    this.#found = found
    if (found > 0) {
      printError(text)
      say(`${found} type ${found === 1 ? 'error' : 'errors'}: what runs goes on`)
    } else if (before !== 0) say('types are right')
  }
}

/** The compiler that is installed in the project; undefined where there is none. */
async function compilerOfProject(): Promise<string | undefined> {
  try {
    const manifest = createRequire(resolve('package.json')).resolve('typescript/package.json')
    const { bin } = JSON.parse(await readFile(manifest, 'utf8'))
    return join(dirname(manifest), bin.tsc)
  } catch {
    return undefined
  }
}
