import { dirname, resolve, sep } from 'node:path'
import { type GenerateOptions, generate } from '../../../codegen/main.ts'
import type { Terminal } from '../../../daemons/run.ts'
import { mergeSchemes, type Scheme } from '../../../runtime/kernel/descriptors/scheme.ts'
import { errorText } from '../../../runtime/kernel/errors/error-text.ts'
import { schemeOfFolder } from '../compiled-scheme.ts'
import { loadScheme } from '../scheme.ts'
import type { DevOperator } from './operator.ts'
import { SavedFiles } from './saved-files.ts'
import type { DevServer } from './server.ts'
import { TypeCheck } from './type-check.ts'

/** What is followed: schema files, what they become, who serves it, and who works with it. */
export interface DevLoopOptions {
  readonly schemas: string
  readonly out: string
  readonly generate: Pick<GenerateOptions, 'platform' | 'importExtension'>
  readonly server: DevServer
  /** Without one, kinds are served and nothing works on them. */
  readonly operator: DevOperator | undefined
  readonly terminal: Terminal
  /** The time of day, for a person. */
  readonly timeOfDay: () => string
}

/** Brings generated files, server and operator to what is saved, one step after another. */
export class DevLoop {
  readonly #options: DevLoopOptions
  readonly #saved = new SavedFiles(() => this.#follow())
  readonly #types: TypeCheck
  #step: Promise<void> = Promise.resolve()
  #waiting = false
  #served = false

  constructor(options: DevLoopOptions) {
    this.#options = options
    const { printError } = options.terminal
    this.#types = new TypeCheck({ printError, say: (line) => this.#say(line) })
  }

  /** Runs until `signal` aborts, and then ends the operator and the server. */
  async run(signal: AbortSignal): Promise<void> {
    const { schemas, generate, server, operator } = this.#options
    this.#saved.add(resolve(schemas), true)
    if (generate.platform !== undefined) this.#saved.add(dirname(resolve(generate.platform)))
    this.#follow()
    await aborted(signal)
    this.#saved.close()
    await this.#step
    this.#types.stop()
    await operator?.stop()
    await server.stop()
  }

  /** A step is taken after the one under way; any number of requests meanwhile are one. */
  #follow(): void {
    if (this.#waiting) return
    this.#waiting = true
    this.#step = this.#step.then(async () => {
      this.#waiting = false
      try {
        const said = [...(await this.#followSchemas()), ...(await this.#followOperator())]
        if (said.length > 0) this.#say(said.join(', '))
        if (this.#served) await this.#types.start()
      } catch (error) {
        this.#say(errorText(error))
      }
    })
  }

  /** Generates what is new, and serves it. */
  async #followSchemas(): Promise<readonly string[]> {
    const { schemas, out, server, terminal } = this.#options
    const result = await generate({ ...this.#options.generate, schemas, out, check: false })
    const { changed, findings, report, notGenerated } = result
    if (findings.length > 0) {
      terminal.printError(report.trimEnd())
      return [`${count(findings.length, 'mistake')} in ${schemas}: ${this.#goesOn()}`]
    }
    if (notGenerated.length > 0) {
      return [`${notGenerated.join(', ')} in ${out} was not generated, move it: ${this.#goesOn()}`]
    }
    if (changed.length === 0 && this.#served) return []
    const scheme = await this.#scheme()
    if (scheme === undefined) return [this.#goesOn()]
    await server.serve(scheme)
    this.#served = true
    const generated = changed.length === 0 ? [] : [`${count(changed.length, 'file')} generated`]
    return [...generated, `serving at ${server.url}`, ...this.#whereObjectsAre()]
  }

  #whereObjectsAre(): readonly string[] {
    const { server } = this.#options
    if (server.keepsObjects) return []
    return ['objects are in memory until kinds change (npm install sqlite3 keeps them)']
  }

  #goesOn(): string {
    return this.#served ? 'what was served before goes on' : 'nothing is served yet'
  }

  async #scheme(): Promise<Scheme | undefined> {
    const { out, terminal } = this.#options
    const { platform = '' } = this.#options.generate
    const base = await loadScheme({ platform, schemas: [] }, terminal.printError)
    return base && mergeSchemes(base, await schemeOfFolder(out))
  }

  /** Starts the operator again if it is another program, or if it has ended. */
  async #followOperator(): Promise<readonly string[]> {
    const { operator, out, terminal } = this.#options
    if (operator === undefined || !this.#served) return []
    const { errors, changed, folders } = await operator.build()
    if (errors.length > 0) {
      for (const error of errors) terminal.printError(error)
      return [
        `the operator does not build: ${operator.runs ? 'the last one goes on' : 'none runs'}`,
      ]
    }
    for (const folder of folders) {
      if (!`${folder}${sep}`.startsWith(`${resolve(out)}${sep}`)) this.#saved.add(folder)
    }
    if (!changed && operator.runs) return []
    await operator.start()
    return ['operator started']
  }

  #say(line: string): void {
    this.#options.terminal.print(`${this.#options.timeOfDay()}  ${line}`)
  }
}

/** `1 file`, `2 files`. */
function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

/** Resolves when the signal aborts. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done()
    else signal.addEventListener('abort', () => done(), { once: true })
  })
}
