import { type ChildProcess, fork } from 'node:child_process'

/** A server in a process of its own, whose event loop is watched. */
export interface ProbedServer {
  readonly url: string
  /** Starts or ends a measurement; gives what the one before it found. */
  probe(word: 'begin' | 'end'): Promise<Probe>
  stop(): void
}

/** The longest time that the event loop stood still, the processor time of all that was done, and the memory of the process. */
export interface Probe {
  readonly delayMs: number
  readonly cpuMs: number
  readonly rss: number
}

/** Starts the server in a process of its own, so that its event loop is measured without the load generator. */
export async function startProbedServer(): Promise<ProbedServer> {
  const child = fork(new URL('./worst-server.js', import.meta.url))
  const { url } = (await nextMessage(child)) as { readonly url: string }
  return {
    url,
    async probe(word) {
      child.send(word)
      return (await nextMessage(child)) as Probe
    },
    stop: () => void child.kill(),
  }
}

/** A request to the process is answered by exactly one message. */
function nextMessage(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve) => child.once('message', resolve))
}
