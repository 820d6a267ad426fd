import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Clock, keepAlive } from '../../kernel/async/clock.ts'
import type {
  ContainerConfig,
  ContainerState,
  ContainerStatus,
  PodSandboxConfig,
} from '../contract/container.ts'
import { RuntimeError } from '../contract/runtime-error.ts'
import type { SimulatedLine, SimulatedProgram, SimulatedPrograms } from './simulated-programs.ts'

/** A sandbox of a simulated machine. */
export interface SimulatedSandbox {
  readonly config: PodSandboxConfig
  readonly createdAt: number
  ready: boolean
}

/** What simulated programs run on: it outlives runtimes as the kernel outlives theirs. */
export interface SimulatedMachine {
  readonly clock: Clock
  readonly programs: SimulatedPrograms
  readonly sandboxes: Map<string, SimulatedSandbox>
  readonly containers: Map<string, SimulatedContainer>
  readonly images: Set<string>
  readonly listeners: Set<(sandboxId: string) => void>
}

/** A machine on which nothing runs. */
export function simulatedMachine(clock: Clock, programs: SimulatedPrograms = {}): SimulatedMachine {
  const [sandboxes, containers] = [new Map(), new Map()]
  return { clock, programs, sandboxes, containers, images: new Set(), listeners: new Set() }
}

const termCode = 143
const killedCode = 137
const startErrorCode = 128

/** One container of a simulated machine. */
export class SimulatedContainer {
  readonly id: string
  readonly sandboxId: string
  readonly config: ContainerConfig
  readonly #machine: SimulatedMachine
  readonly #createdAt: number
  readonly #logFile: string
  readonly #cancels = new Set<() => void>()
  readonly #waiting = new Set<() => void>()
  #state: ContainerState = 'created'
  #startedAt = 0
  #finishedAt = 0
  #exitCode = 0
  #refusal = ''
  #onTerm: SimulatedProgram['onTerm']

  constructor(id: string, sandboxId: string, config: ContainerConfig, machine: SimulatedMachine) {
    this.id = id
    this.sandboxId = sandboxId
    this.config = config
    this.#machine = machine
    this.#createdAt = machine.clock.now()
    const folder = machine.sandboxes.get(sandboxId)?.config.logDirectory ?? ''
    this.#logFile = join(folder, config.logPath)
  }

  get isRunning(): boolean {
    return this.#state === 'running'
  }

  start(): void {
    if (this.#state !== 'created') {
      throw new RuntimeError('FailedPrecondition', `container ${this.id} was started before`)
    }
    const program = this.#machine.programs.program?.(this.config) ?? {}
    this.#startedAt = this.#machine.clock.now()
    if (program.refusal !== undefined) {
      this.#refusal = program.refusal
      this.#end(startErrorCode)
      throw new RuntimeError('Unknown', program.refusal)
    }
    this.#state = 'running'
    this.#onTerm = program.onTerm
    mkdirSync(dirname(this.#logFile), { recursive: true })
    for (const line of program.lines ?? []) this.#write(line)
    const { repeats, endsAfterMs, exitCode = 0 } = program
    if (repeats !== undefined) this.#repeat(repeats)
    if (endsAfterMs !== undefined) this.#after(endsAfterMs, () => this.#end(exitCode))
  }

  /** Resolves when it has ended. */
  async stop(timeoutSeconds: number): Promise<void> {
    if (!this.isRunning) return
    const ended = this.ended()
    const isDeaf = this.#onTerm === 'deaf' || timeoutSeconds <= 0
    if (isDeaf) this.#after(timeoutSeconds * 1000, () => this.#end(killedCode))
    else this.#end(typeof this.#onTerm === 'number' ? this.#onTerm : termCode)
    await ended
  }

  /** Resolves to its exit code when it has ended. */
  async ended(): Promise<number> {
    if (!this.isRunning) return this.#exitCode
    const release = keepAlive()
    await new Promise<void>((resolve) => this.#waiting.add(resolve))
    release()
    return this.#exitCode
  }

  status(): ContainerStatus {
    const { environment, ...config } = this.config
    return {
      ...{ id: this.id, sandboxId: this.sandboxId, config, imageRef: config.image },
      ...{ state: this.#state, createdAt: this.#createdAt, startedAt: this.#startedAt },
      ...{ finishedAt: this.#finishedAt, exitCode: this.#exitCode, logFile: this.#logFile },
      reason: this.#refusal === '' ? '' : 'ContainerCannotRun',
      message: this.#refusal,
    }
  }

  #repeat(line: SimulatedLine & { readonly everyMs: number }): void {
    this.#write(line)
    this.#after(line.everyMs, () => this.#repeat(line))
  }

  #after(ms: number, run: () => void): void {
    const cancel = this.#machine.clock.after(ms, () => {
      this.#cancels.delete(cancel)
      run()
    })
    this.#cancels.add(cancel)
  }

  #end(code: number): void {
    for (const cancel of this.#cancels) cancel()
    this.#cancels.clear()
    this.#state = 'exited'
    this.#exitCode = code
    this.#finishedAt = this.#machine.clock.now()
    for (const tell of this.#waiting) tell()
    for (const tell of this.#machine.listeners) tell(this.sandboxId)
  }

  #write({ stream, text }: SimulatedLine): void {
    const time = `${new Date(this.#machine.clock.now()).toISOString().slice(0, -1)}000000Z`
    appendFileSync(this.#logFile, `${time} ${stream} F ${text}\n`)
  }
}
