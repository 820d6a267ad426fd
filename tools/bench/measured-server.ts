import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import { responses } from './load.ts'

const command = fileURLToPath(new URL('../../packed/orch-apiserver.js', import.meta.url))

/** A packed server in a process of its own, what it uses, and one connection to it. */
export interface MeasuredServer {
  /** Sends a request over the one connection, and gives what comes back. */
  exchange(request: Buffer): Promise<string>
  cpuMs(): number
  /** Bytes that it had written to disks. */
  writtenBytes(): number
  residentMiB(): number
  stop(): Promise<void>
}

/** Starts a server over a store, without TLS. */
export async function startMeasured(
  storage: string,
  flags: readonly string[],
): Promise<MeasuredServer> {
  const args = [command, '--insecure-port=0', `--storage=${storage}`, ...flags]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(child.stdout, 'data')
  const url = /http:\S+/.exec(String(line))?.[0]
  if (url === undefined) throw new Error(`the server says ${line}`)
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let answer: Buffer[] = []
  socket.on('data', (chunk) => answer.push(chunk))
  const answered = responses(socket)
  return {
    async exchange(request) {
      answer = []
      socket.write(request)
      await answered()
      return Buffer.concat(answer).toString()
    },
    cpuMs: () => ticksOf(child) * 10,
    writtenBytes: () => Number(/^write_bytes: (\d+)$/m.exec(ofProcess(child, 'io'))?.[1]),
    residentMiB: () => Number(/^VmRSS:\s+(\d+) kB$/m.exec(ofProcess(child, 'status'))?.[1]) / 1024,
    async stop() {
      socket.destroy()
      child.kill()
      await once(child, 'close')
    },
  }
}

/** Hundredths of a second of a processor, 0 of a process that has ended. */
export function ticksOf(process: Pick<ChildProcess, 'pid'>): number {
  try {
    const fields = ofProcess(process, 'stat').split(') ')[1]?.split(' ') ?? []
    return Number(fields[11]) + Number(fields[12])
  } catch {
    return 0
  }
}

function ofProcess({ pid }: Pick<ChildProcess, 'pid'>, file: string): string {
  return readFileSync(`/proc/${pid}/${file}`, 'utf8')
}
