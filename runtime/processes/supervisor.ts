/**
 * Several processes that are one server: the same program, started several times, behind one port.
 *
 *  1. The first process starts alone: what is made once it makes. The others start together when it serves.
 *  2. Connections go to the processes in turn: one that is busy takes fewer, and one that is killed holds none up (`ports.ts`).
 *  3. A process that ends is started anew, at once if it ran for a while, else after a pause that grows. The others take connections meanwhile.
 *  4. Where a process ends before the group was ready, the group ends: what keeps one from starting keeps all.
 *  5. No process outlives the supervisor.
 */
import cluster, { type Worker } from 'node:cluster'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type Clock, keepAlive, pause } from '../kernel/async/clock.ts'
import { type Deferred, deferred } from '../kernel/async/deferred.ts'
import type { Log } from '../observe/observe.ts'
import { type FromProcess, type FromSupervisor, isAboutPort } from './messages.ts'
import { Ports } from './ports.ts'
import { Questions } from './questions.ts'
import { Restarts } from './restarts.ts'

/** A group of processes. */
export interface GroupOptions {
  readonly count: number
  readonly clock: Clock
  readonly log: Log
  /** What every process is told when it starts. */
  readonly facts: unknown
  /** A file that every process has open. */
  readonly file: number
  /** Hears of the socket of each process when it starts. */
  readonly started: (socket: Duplex) => void
  /** Hears once all processes serve, with what each says of it, in the order of their numbers. */
  readonly ready: (told: readonly unknown[]) => void
}

/** Runs the group until the signal aborts, then stops it in order. Resolves to the exit code: 1 if it could not start. */
export async function superviseGroup(options: GroupOptions, signal: AbortSignal): Promise<number> {
  const { file, count } = options
  cluster.schedulingPolicy = cluster.SCHED_NONE
  cluster.setupPrimary({
    stdio: ['ignore', 'inherit', 'inherit', 'ipc', 'pipe', file],
    serialization: 'advanced',
  } as Parameters<typeof cluster.setupPrimary>[0])
  const group = new Group(options)
  const stop = (): void => group.stop()
  // While no process is there, nothing else keeps the supervisor from ending.
  const release = keepAlive()
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  const others = Array.from({ length: count - 1 }, (_, index) => index + 2)
  const first = group.keep(1)
  await group.firstServes
  await Promise.all([first, ...others.map((number) => group.keep(number))])
  release()
  signal.removeEventListener('abort', stop)
  return group.failed ? 1 : 0
}

class Group {
  readonly #options: GroupOptions
  readonly #running = new Map<number, Worker>()
  readonly #ready = new Map<number, unknown>()
  readonly #stopping = new AbortController()
  readonly #questions: Questions
  readonly #ports: Ports
  readonly #firstServes: Deferred<void> = deferred()
  #wasReady = false
  failed = false

  constructor(options: GroupOptions) {
    this.#options = options
    const tellOne = (number: number, message: FromSupervisor, connection?: Socket): void => {
      const worker = this.#running.get(number)
      if (worker !== undefined) tell(worker, message, connection)
    }
    this.#questions = new Questions(tellOne)
    this.#ports = new Ports(tellOne)
  }

  /** Resolves once one serves, or none is going to. */
  get firstServes(): Promise<void> {
    return this.#firstServes.promise
  }

  /** Has a process with this number until the group stops. */
  async keep(number: number): Promise<void> {
    const { clock, log } = this.#options
    const { signal } = this.#stopping
    const restarts = new Restarts()
    while (!signal.aborted) {
      const began = clock.monotonic()
      const ended = await this.#run(number)
      if (signal.aborted) return
      if (!this.#wasReady) {
        this.failed = true
        this.stop()
        return
      }
      const wait = restarts.next(clock.monotonic() - began)
      log.error('a process of the server ended and is started anew', { number, ended, wait })
      await pause(clock, wait, signal)
    }
  }

  /** Stops all processes in order. */
  stop(): void {
    if (this.#stopping.signal.aborted) return
    this.#stopping.abort()
    this.#firstServes.resolve()
    for (const worker of this.#running.values()) tell(worker, { stop: true })
  }

  /** Runs one process to its end; says how it ended. */
  #run(number: number): Promise<string> {
    const worker = cluster.fork()
    this.#running.set(number, worker)
    const socket = worker.process.stdio[4]
    worker.on('message', (message: FromProcess) => this.#hear(number, worker, message))
    worker.on('error', (error) => this.#options.log.error('a process failed', { number }, error))
    this.#options.started(socket as unknown as Duplex)
    return new Promise((resolve) => {
      let ended: string | undefined
      const end = (): void => {
        if (ended === undefined || worker.isConnected()) return
        this.#running.delete(number)
        this.#questions.gone(number)
        void this.#ports.gone(number)
        resolve(ended)
      }
      worker.once('exit', (code, signal) => {
        ended = signal ?? `exit code ${code}`
        end()
      })
      // Comes after the last that the process has said, before or after its end.
      worker.once('disconnect', end)
    })
  }

  #hear(number: number, worker: Worker, message: FromProcess): void {
    if ('here' in message) {
      const { count, facts } = this.#options
      tell(worker, { welcome: { number, count, facts } })
      if (this.#stopping.signal.aborted) tell(worker, { stop: true })
    } else if ('ready' in message) this.#serves(number, message.ready)
    else if (isAboutPort(message)) void this.#ports.hear(number, message)
    else this.#questions.hear(number, message, [...this.#running.keys()])
  }

  #serves(number: number, told: unknown): void {
    const { count, ready, log } = this.#options
    if (this.#wasReady) {
      log.info('a process of the server serves again', { number })
      return
    }
    this.#ready.set(number, told)
    this.#firstServes.resolve()
    if (this.#ready.size < count) return
    this.#wasReady = true
    ready(Array.from({ length: count }, (_, index) => this.#ready.get(index + 1)))
  }
}

/** A connection stays open in this process as well. One that cannot be sent is still there when the process is gone. */
function tell(worker: Worker, message: FromSupervisor, connection?: Socket): void {
  if (worker.isConnected()) worker.send(message, connection, { keepOpen: true }, () => {})
}
