import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  type FSWatcher,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  watch,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { type Clock, keepAlive } from '../../kernel/async/clock.ts'
import type { ContainerConfig, ContainerStatus } from '../contract/container.ts'
import { RuntimeError } from '../contract/runtime-error.ts'
import type { AttachOptions, ContainerSession, TerminalSize } from '../contract/session.ts'
import type { ControlGroups } from '../groups/control-groups.ts'
import { firstProcess, type Launch, launch } from './launch.ts'
import { LogWriter } from './log-writer.ts'
import { OutputFollower } from './output-follower.ts'
import type { EmbeddedLevel } from './probe-level.ts'
import { allProcesses, hasVariable, isProcess, signalProcess, treeOf } from './processes.ts'
import { StdinPipe } from './stdin-pipe.ts'
import { terminalProcess, terminalResizer } from './terminal.ts'

/** What is kept of a container. */
export interface ContainerRecord {
  readonly sandboxId: string
  readonly config: ContainerConfig
  readonly hostname: string
  readonly imageRef: string
  readonly program: string
  readonly level: EmbeddedLevel
  readonly createdAt: number
  readonly logFile: string
  /** The file of the network that its processes join; undefined for that of the machine. */
  readonly network?: string
  /** The control group of its processes; undefined where there is none. */
  readonly group?: string
}

/** What a container is kept with. */
export interface ContainerSurroundings {
  readonly folder: string
  readonly isRoot: boolean
  readonly groups: ControlGroups | undefined
  readonly clock: Clock
  readonly changed: () => void
}

/** How a container ended whose first process was killed, and could not say so. */
const killedCode = 137
/** The code of a container whose program was never started. */
const startErrorCode = 128
/** As long as anything that is written in its place. */
const blank = ' '.repeat(64)
/** How often it is looked at whether a container runs that this process did not start. */
const lookMs = 500
/** Names a container in the environment of its program, where nothing else keeps its processes together. */
const containerVariable = 'ORCH_CONTAINER_ID'

/** One container of the embedded runtime. */
export class EmbeddedContainer {
  readonly id: string
  readonly record: ContainerRecord
  readonly #folder: string
  readonly #isRoot: boolean
  readonly #groups: ControlGroups | undefined
  readonly #changed: () => void
  readonly #clock: Clock
  #pid = 0
  #startedAt = 0
  #end: { readonly at: number; readonly code: number } | undefined
  #writer: LogWriter | undefined
  #watcher: FSWatcher | undefined
  #cancelLook = (): void => {}
  #isClosed = false
  #isUnwatched = false
  /** Why its program was not started. */
  #failure = ''
  readonly #waiting = new Set<() => void>()
  readonly #followers = new Set<OutputFollower>()
  readonly #stdin: StdinPipe

  constructor(
    id: string,
    record: ContainerRecord,
    { folder, isRoot, groups, changed, clock }: ContainerSurroundings,
  ) {
    this.id = id
    this.record = record
    this.#folder = folder
    this.#isRoot = isRoot
    this.#groups = groups
    this.#changed = changed
    this.#clock = clock
    this.#stdin = new StdinPipe(join(folder, 'stdin'))
  }

  get isRunning(): boolean {
    return this.#pid !== 0 && this.#end === undefined
  }

  get pid(): number {
    return this.#pid
  }

  /** Finds out what became of it while nothing looked. */
  adopt(): void {
    try {
      const [pid, startedAt] = readFileSync(join(this.#folder, 'pid'), 'utf8')
        .split(' ')
        .map(Number)
      this.#pid = pid ?? 0
      this.#startedAt = startedAt ?? 0
    } catch {
      return
    }
    if (this.#pid === 0) return
    if (this.#pid === -1) {
      this.#end = { at: this.#startedAt, code: startErrorCode }
      this.#failure = this.#savedFailure()
      return
    }
    this.#follow()
    this.#lookAgain()
  }

  async start(): Promise<void> {
    if (this.#pid !== 0) {
      throw new RuntimeError('FailedPrecondition', `container ${this.id} was started before`)
    }
    for (const name of ['stdout', 'stderr']) {
      writeFileSync(join(this.#folder, name), '', { mode: 0o600 })
    }
    // What is to be written once the program runs has its place before, for the disk may be full then.
    for (const name of ['exit', 'pid', 'offsets']) {
      writeFileSync(join(this.#folder, name), blank, { mode: 0o600 })
    }
    let child: ChildProcess
    const stdin = this.#openStdin()
    try {
      const { group, config } = this.record
      if (group !== undefined) this.#groups?.make(group, config.resources ?? {})
      child = await launch(this.#launch(stdin))
    } catch (error) {
      this.#pid = -1
      this.#startedAt = this.#clock.now()
      const message = error instanceof Error ? error.message : String(error)
      this.#failure = message
      this.#keepPid()
      this.#keepFailure(message)
      this.#end = { at: this.#startedAt, code: startErrorCode }
      throw error
    } finally {
      if (stdin !== 'ignore') closeSync(stdin)
    }
    this.#pid = child.pid ?? 0
    this.#startedAt = this.#clock.now()
    this.#keepPid()
    this.#follow()
    child.once('exit', () => this.#look())
    if (child.exitCode !== null || child.signalCode !== null) this.#look()
  }

  async stop(timeoutSeconds: number): Promise<void> {
    if (!this.isRunning) return
    const release = keepAlive()
    const ended = new Promise<void>((resolve) => this.#waiting.add(resolve))
    const first = this.record.config.tty ? terminalProcess(this.#pid) : this.first
    if (first !== undefined && timeoutSeconds > 0) signalProcess(first, 'SIGTERM')
    const cancel = this.#clock.after(timeoutSeconds * 1000, () => this.#kill())
    await ended
    release()
    cancel()
  }

  reopenLog(): void {
    this.#writer?.reopen()
  }

  /** What a command beside the program is started with. */
  beside(command: readonly string[], tty: boolean): Launch {
    const own = this.#launch('ignore')
    return { ...own, config: { ...own.config, command, args: [], tty } }
  }

  /** The streams of its program. @throws a RuntimeError if it does not run. */
  attach({ stdin, signal }: AttachOptions): ContainerSession {
    if (!this.isRunning) {
      const { state } = this.status()
      throw new RuntimeError('FailedPrecondition', `container ${this.id} is ${state}, not running`)
    }
    const { tty, stdin: reads } = this.record.config
    const follow = (name: string) => {
      const follower = new OutputFollower(join(this.#folder, name))
      this.#followers.add(follower)
      return follower.once('close', () => this.#followers.delete(follower))
    }
    const input = stdin && (tty || reads !== 'none') ? this.#stdin.openWriter() : undefined
    const outputs = [follow('stdout'), ...(tty ? [] : [follow('stderr')])]
    const close = () => {
      input?.destroy()
      for (const output of outputs) output.destroy()
    }
    signal?.addEventListener('abort', close, { once: true })
    const release = keepAlive()
    const ended = Promise.all(outputs.map((output) => once(output, 'close'))).then(() => {
      signal?.removeEventListener('abort', close)
      input?.destroy()
      release()
      return this.#end?.code
    })
    const [stdout, stderr] = outputs as [OutputFollower, OutputFollower | undefined]
    const sized = terminalResizer(this.#pid, this.#clock)
    const resize = (size: TerminalSize) => tty && sized(size)
    return { stdin: input, stdout, stderr, ended, resize, close }
  }

  get first(): number | undefined {
    return this.isRunning ? firstProcess(this.#pid, this.record.level) : undefined
  }

  status(): ContainerStatus {
    const { environment, ...config } = this.record.config
    const { sandboxId, imageRef, createdAt, logFile } = this.record
    const state = this.#end ? 'exited' : this.#pid === 0 ? 'created' : 'running'
    return {
      ...{ id: this.id, sandboxId, config, imageRef, state, createdAt, logFile },
      startedAt: this.#startedAt,
      finishedAt: this.#end?.at ?? 0,
      exitCode: this.#end?.code ?? 0,
      reason: this.#reason(),
      message: this.#failure,
    }
  }

  /** A program whose child ran out of memory may end well itself. */
  #reason(): string {
    if (this.#failure !== '') return 'ContainerCannotRun'
    const { group } = this.record
    const isOut =
      group !== undefined && this.#end?.code === killedCode && this.#groups?.outOfMemory(group)
    return isOut ? 'OOMKilled' : ''
  }

  /** Nothing is kept of it any more. */
  remove(): void {
    this.close()
    if (this.record.group !== undefined) this.#groups?.remove(this.record.group)
  }

  /** Leaves it running. */
  close(): void {
    this.#leave()
    this.#writer?.close()
    this.#writer = undefined
  }

  #leave(): void {
    this.#isClosed = true
    this.#watcher?.close()
    this.#cancelLook()
    this.#stdin.close()
    for (const follower of this.#followers) follower.complete()
  }

  #openStdin(): Launch['stdin'] {
    const { tty, stdin } = this.record.config
    return tty || stdin !== 'none' ? this.#stdin.openReader(stdin === 'once') : 'ignore'
  }

  #launch(stdin: Launch['stdin']): Launch {
    const { config, hostname, program, level, group, network } = this.record
    const marked = [...config.environment, [containerVariable, this.id] as const]
    return {
      ...{ level, isRoot: this.#isRoot, folder: this.#folder, hostname, program },
      ...{ marker: this.id, stdin, network },
      joins: (group !== undefined && this.#groups?.joinFiles(group)) || [],
      config: level === 'process' ? { ...config, environment: marked } : config,
    }
  }

  #follow(): void {
    mkdirSync(dirname(this.record.logFile), { recursive: true })
    const file = (name: string) => join(this.#folder, name)
    this.#writer = new LogWriter({
      ...{ stdout: file('stdout'), stderr: file('stderr'), offsets: file('offsets') },
      log: this.record.logFile,
      clock: this.#clock,
    })
    try {
      this.#watcher = watch(this.#folder, { persistent: false }, (_, name) => {
        if (name === 'exit') this.#look()
        else if (name === 'stdout' || name === 'stderr') this.#takeOutput()
      })
    } catch {
      // The kernel watches so many folders and no more.
      this.#isUnwatched = true
      this.#lookAgain()
    }
    this.#writer.pump()
  }

  #takeOutput(): void {
    this.#writer?.pump()
    for (const follower of this.#followers) follower.more()
  }

  #lookAgain(): void {
    this.#look()
    if (this.#end || this.#isClosed) return
    if (this.#isUnwatched) this.#takeOutput()
    this.#cancelLook()
    this.#cancelLook = this.#clock.after(lookMs, () => this.#lookAgain())
  }

  /** Finds out whether it has ended. */
  #look(): void {
    if (this.#end !== undefined || this.#isClosed) return
    if (this.#saidCode() === '' && isProcess(this.#pid, this.id)) return
    // The code is written before the process ends: once it is gone, the file says all that it ever will.
    const said = this.#saidCode()
    const code = said === '' ? killedCode : Number(said)
    const at = said === '' ? this.#clock.now() : statSync(join(this.#folder, 'exit')).mtimeMs
    this.#end = { at: Math.round(at), code }
    if (this.record.level === 'process') this.#killStrays()
    this.#writer?.finish()
    this.#leave()
    for (const tell of this.#waiting) tell()
    this.#changed()
  }

  /** The exit code that its first process has written; empty where it has not, or never came to it. */
  #saidCode(): string {
    return readFileSync(join(this.#folder, 'exit'), 'utf8').trim()
  }

  #keepPid(): void {
    const fd = openSync(join(this.#folder, 'pid'), 'r+')
    writeSync(fd, `${this.#pid} ${this.#startedAt}`)
    closeSync(fd)
  }

  #keepFailure(message: string): void {
    try {
      writeFileSync(join(this.#folder, 'failure'), message)
    } catch {}
  }

  #savedFailure(): string {
    try {
      return readFileSync(join(this.#folder, 'failure'), 'utf8')
    } catch {
      return 'the container cannot be made'
    }
  }

  /** Ends everything that runs in it. */
  #kill(): void {
    if (!this.isRunning) return
    if (this.record.level !== 'process') {
      const first = firstProcess(this.#pid, this.record.level)
      signalProcess(first ?? this.#pid, 'SIGKILL')
      return
    }
    for (const { pid } of treeOf(this.#pid, allProcesses())) {
      if (pid !== this.#pid) signalProcess(pid, 'SIGKILL')
    }
  }

  /** Ends what its program left behind, whatever session it is in. */
  #killStrays(): void {
    const entry = `${containerVariable}=${this.id}`
    for (const { pid } of allProcesses()) {
      if (hasVariable(pid, entry)) signalProcess(pid, 'SIGKILL')
    }
  }
}
