/** Credentials that a program gets. */
import { spawn } from 'node:child_process'
import type { Cluster, ExecConfig } from '../../generated/config/clientconfig/v1.ts'
import type { CredentialSource, Credentials } from '../client/client.ts'
import type { Awaitable } from '../kernel/async/awaitable.ts'
import type { Clock } from '../kernel/async/clock.ts'
import { StatusError } from '../kernel/errors/status-error.ts'
import type { CredentialFiles } from './credential-files.ts'
import { type Environment, localNames } from './environment.ts'
import { execRequest, readExecAnswer } from './exec-messages.ts'

/** For whom a program gets credentials, and where. */
export interface ExecContext {
  /** The orchconfig that names the program, and the user there. */
  readonly file: string
  readonly user: string
  readonly cluster: Cluster
  /** What the file says beside the program. */
  readonly files: CredentialFiles
  readonly environment: Environment
  readonly clock: Clock
}

/** What a program may print, in bytes: far more than credentials need. */
const maxOutput = 1024 * 1024
/** How much of what it says when it fails is shown. */
const maxShown = 2048

/**
 * The credentials that a program gets. They are kept until they expire or a server refuses them; of requests at a time the
 * program is run for one.
 */
export function execCredentials(exec: ExecConfig, context: ExecContext): CredentialSource {
  return new ExecCredentials(exec, context)
}

class ExecCredentials implements CredentialSource {
  readonly #exec: ExecConfig
  readonly #context: ExecContext
  readonly #base: Credentials
  #known: { readonly credentials: Credentials; readonly until: number } | undefined
  #running: Promise<Credentials> | undefined

  constructor(exec: ExecConfig, context: ExecContext) {
    this.#exec = exec
    this.#context = context
    this.#base = { ...context.files.fixed, ...context.files.texts }
  }

  current(): Awaitable<Credentials> {
    if (this.#known !== undefined && this.#context.clock.now() < this.#known.until) {
      return this.#known.credentials
    }
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  refused(credentials: Credentials): boolean {
    if (this.#known?.credentials === credentials) this.#known = undefined
    return true
  }

  async #run(): Promise<Credentials> {
    const { file, user } = this.#context
    const what = `orchconfig ${file}: user "${user}": ${this.#exec.command}`
    const interactive = this.#interactive(what)
    const request = execRequest(this.#exec, this.#context.cluster, this.#base.ca, interactive)
    const variables = this.#variables(JSON.stringify(request))
    const output = await run(this.#exec, variables, interactive, what)
    const { expires, credentials } = await readExecAnswer(this.#exec, output, what)
    this.#known = {
      credentials: { ...this.#base, ...credentials },
      until: expires ?? Number.POSITIVE_INFINITY,
    }
    return this.#known.credentials
  }

  #interactive(what: string): boolean {
    const { interactiveMode = 'IfAvailable' } = this.#exec
    const terminal = process.stdin.isTTY === true
    if (interactiveMode === 'Always' && !terminal) {
      throw refused(
        what,
        'wants to talk to a person (interactiveMode Always), and there is no terminal',
      )
    }
    return terminal && interactiveMode !== 'Never'
  }

  #variables(request: string): NodeJS.ProcessEnv {
    const own = (this.#exec.env ?? []).map(({ name, value }) => [name, value] as const)
    const told = localNames().map(({ variablePrefix }) => [`${variablePrefix}_EXEC_INFO`, request])
    return { ...this.#context.environment, ...Object.fromEntries([...own, ...told]) }
  }
}

/** Runs the program without a shell; resolves to what it printed. */
function run(
  { command, args = [], installHint }: ExecConfig,
  env: NodeJS.ProcessEnv,
  interactive: boolean,
  what: string,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const said = interactive ? 'inherit' : 'pipe'
    const child = spawn(command, [...args], {
      env,
      stdio: [interactive ? 'inherit' : 'ignore', 'pipe', said],
      windowsHide: true,
    })
    const [output, complaints] = [collect(maxOutput), collect(maxShown)]
    child.stdout?.on('data', (chunk: Buffer) => {
      if (!output.add(chunk)) child.kill()
    })
    child.stderr?.on('data', (chunk: Buffer) => complaints.add(chunk))
    child.once('error', (cause: NodeJS.ErrnoException) => {
      const hint = installHint ? `\n${installHint}` : ''
      const why = cause.code === 'ENOENT' ? 'there is no such program' : cause.message
      reject(refused(what, `${why}${hint}`, cause))
    })
    child.once('close', (code, signal) => {
      if (output.overflown) return reject(refused(what, `prints more than ${maxOutput} bytes`))
      if (code === 0) return resolve(output.text())
      const how = code === null ? `was ended by ${signal}` : `failed with exit code ${code}`
      const why = complaints.text().trim()
      reject(refused(what, why === '' ? how : `${how}: ${why}`))
    })
  })
}

/** The first bytes of a stream. */
function collect(limit: number) {
  const chunks: Buffer[] = []
  let size = 0
  return {
    add(chunk: Buffer): boolean {
      if (size < limit) chunks.push(chunk.subarray(0, limit - size))
      size += chunk.length
      return size <= limit
    },
    get overflown(): boolean {
      return size > limit
    },
    text: () => Buffer.concat(chunks).toString('utf8'),
  }
}

function refused(what: string, why: string, cause?: unknown): StatusError {
  return new StatusError('Unauthorized', `${what}: ${why}`, { cause })
}
