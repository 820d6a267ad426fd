import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type RunningApiServer, startApiServer } from '../../../runtime/apiserver/apiserver.ts'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import type { Scheme } from '../../../runtime/kernel/descriptors/scheme.ts'
import { createLogger } from '../../../runtime/observe/observe.ts'
import { writeOrchconfig } from '../orchconfig.ts'

/** Where a server of `orch dev` keeps objects, listens, and is found. */
export interface DevServerOptions {
  readonly dataDir: string
  readonly port: number
  readonly orchconfig: string
  readonly printError: (line: string) => void
}

/** An API server whose kinds change while its clients stay: objects and address outlive each scheme. */
export class DevServer {
  readonly #options: DevServerOptions
  #running: RunningApiServer | undefined
  #url: string | undefined
  #keepsObjects = true

  constructor(options: DevServerOptions) {
    this.#options = options
  }

  /** Where it listens since the first `serve`. */
  get url(): string | undefined {
    return this.#url
  }

  /** False where objects are in memory, because the SQLite driver, which is native, is not installed. */
  get keepsObjects(): boolean {
    return this.#keepsObjects
  }

  /** Serves the kinds of `scheme` from now on. The first call settles the port and writes the orchconfig file. */
  async serve(scheme: Scheme): Promise<void> {
    const { dataDir, port, orchconfig, printError } = this.#options
    await this.stop()
    this.#keepsObjects = await hasDriver()
    if (this.#keepsObjects) await mkdir(dataDir, { recursive: true, mode: 0o700 })
    const log = await createLogger({
      level: 'warn',
      write: (line) => printError(line.trimEnd()),
    })
    const server = await startApiServer({
      scheme,
      log,
      clock: systemClock,
      storage: this.#keepsObjects
        ? { kind: 'sqlite', file: join(resolve(dataDir), 'store.db') }
        : { kind: 'memory' },
      listen: {
        host: '127.0.0.1',
        port: this.#url === undefined ? port : Number(new URL(this.#url).port),
      },
    })
    this.#running = server
    if (this.#url === undefined)
      await writeOrchconfig(orchconfig, { server: server.url, name: scheme.platform.brand })
    this.#url = server.url
  }

  async stop(): Promise<void> {
    await this.#running?.stop()
    this.#running = undefined
  }
}

function hasDriver(): Promise<boolean> {
  return import('sqlite3').then(
    () => true,
    () => false,
  )
}
