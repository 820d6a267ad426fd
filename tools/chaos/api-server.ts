import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'

const daemon = fileURLToPath(new URL('../../daemons/apiserver/main.js', import.meta.url))

/** An API server in a process of its own, which is started again at the same port whenever it has ended. */
export class ApiServerProcess {
  readonly name: string
  readonly url: string
  readonly #args: readonly string[]
  #child: ChildProcess | undefined
  #wanted = true
  /** What it said last, each time that it had been ready and ended without being told to. */
  readonly ends: string[] = []
  #expected = false

  private constructor(name: string, url: string, args: readonly string[]) {
    this.name = name
    this.url = url
    this.#args = args
  }

  /** Starts one whose clock is off by so many milliseconds. */
  static async start(
    name: string,
    storage: string,
    clockOffsetMs: number,
  ): Promise<ApiServerProcess> {
    const port = await freePort()
    const clock = `const now = Date.now; Date.now = () => now() + ${clockOffsetMs}`
    const args = [
      ...['--import', `data:text/javascript,${encodeURIComponent(clock)}`, daemon],
      ...[`--insecure-port=${port}`, `--storage=${storage}`],
    ]
    const server = new ApiServerProcess(name, `http://127.0.0.1:${port}`, args)
    await server.#spawn()
    return server
  }

  /** Ends it with kill -9; it comes back by itself. */
  kill(): void {
    this.#expected = true
    this.#child?.kill('SIGKILL')
  }

  /** Stops it in the middle of whatever it does. */
  pause(): void {
    this.#child?.kill('SIGSTOP')
  }

  resume(): void {
    this.#child?.kill('SIGCONT')
  }

  async stop(): Promise<void> {
    this.#wanted = false
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGCONT')
    child.kill('SIGTERM')
    await once(child, 'close')
  }

  /** Resolves once it is ready, or has ended. */
  async #spawn(): Promise<void> {
    const child = spawn(process.execPath, this.#args, { stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child = child
    let said = ''
    let isReady = false
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-2000)
    })
    const ended = once(child, 'close').then(() => {
      if (!this.#wanted) return
      // Without a database it does not start, and is started again.
      if (isReady && !this.#expected) this.ends.push(said)
      this.#expected = false
      setTimeout(() => {
        if (this.#wanted) void this.#spawn()
      }, 100)
    })
    const ready = new Promise<void>((resolve) => {
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        if (!text.includes('ready ')) return
        isReady = true
        resolve()
      })
    })
    await Promise.race([ready, ended])
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
