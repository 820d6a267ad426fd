import { Worker } from 'node:worker_threads'
import { type Clock, systemClock } from '../../kernel/async/clock.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import type { YamlOutcome } from './yaml-worker.ts'

/** How long reading one text may take before its thread is terminated. */
const longestMs = 10_000
/** How long an idle thread is kept. */
const idleMs = 30_000
/** How many texts may wait for the thread. */
const mostWaiting = 32

/** A text and the ends of its promise. */
interface Job {
  readonly text: string
  readonly done: (outcome: YamlOutcome) => void
  readonly failed: (error: unknown) => void
}

/** A worker thread that reads YAML texts one after the other. It is started for the first one and never keeps the process alive. */
export class YamlThread {
  readonly #clock: Clock
  readonly #jobs: Job[] = []
  #worker: Worker | undefined
  #running: Job | undefined
  #cancel = (): void => {}

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Reads a text in the thread.
   *
   * @throws StatusError TooManyRequests if too many wait; RequestEntityTooLarge if reading takes too long or too much memory
   */
  read(text: string): Promise<YamlOutcome> {
    return new Promise((done, failed) => {
      if (this.#jobs.length >= mostWaiting) {
        const why = 'too many large YAML texts are being read'
        failed(new StatusError('TooManyRequests', why, { details: { retryAfterSeconds: 5 } }))
        return
      }
      this.#jobs.push({ text, done, failed })
      this.#next()
    })
  }

  /** Starts the next job, if none runs. An idle thread is unreferenced, so that the process can end, and ended after a while. */
  #next(): void {
    if (this.#running !== undefined) return
    this.#cancel()
    const job = this.#jobs.shift()
    this.#running = job
    if (job === undefined) {
      this.#worker?.unref()
      this.#cancel = this.#clock.after(idleMs, () => this.#end())
      return
    }
    this.#worker ??= this.#start()
    this.#worker.ref()
    this.#worker.postMessage(job.text)
    this.#cancel = this.#clock.after(longestMs, () => {
      const why = `Request entity too large: reading its YAML took more than ${longestMs / 1000} s`
      this.#fail(new StatusError('RequestEntityTooLarge', why))
    })
  }

  /** A thread of 512 MB at most. Its file lies beside this one, in source, compiled and packed code alike. */
  #start(): Worker {
    const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'))
    const file = new URL(`yaml-worker${extension}`, import.meta.url)
    const worker = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: 512 } })
    worker.on('message', (outcome: YamlOutcome) => {
      const job = this.#running
      this.#running = undefined
      job?.done(outcome)
      this.#next()
    })
    worker.on('error', (cause) => {
      const why = 'Request entity too large: its YAML cannot be read in the memory there is'
      if (worker === this.#worker)
        this.#fail(new StatusError('RequestEntityTooLarge', why, { cause }))
    })
    return worker
  }

  /** Fails the running job and terminates its thread; jobs that wait get a new one. */
  #fail(error: StatusError): void {
    const job = this.#running
    this.#running = undefined
    this.#end()
    job?.failed(error)
    this.#next()
  }

  /** The thread is not waited for: `terminate` stops it wherever it is. */
  #end(): void {
    const worker = this.#worker
    this.#worker = undefined
    void worker?.terminate()
  }
}

/** The one thread of this process. */
export const yamlThread = new YamlThread(systemClock)
