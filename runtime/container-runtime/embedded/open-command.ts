import type { Readable, Writable } from 'node:stream'
import type { Clock } from '../../kernel/async/clock.ts'
import { RuntimeError } from '../contract/runtime-error.ts'
import type { ContainerSession } from '../contract/session.ts'
import { type Launch, launchBeside } from './launch.ts'
import { allProcesses, signalProcess, treeOf } from './processes.ts'
import { terminalResizer } from './terminal.ts'

/** Starts a command beside the program of a container, whose first process is `first`. */
export async function openCommand(
  launch: Launch,
  first: number,
  {
    stdin,
    signal,
    clock,
  }: {
    readonly stdin: boolean
    readonly signal?: AbortSignal | undefined
    readonly clock: Clock
  },
): Promise<ContainerSession> {
  const { tty } = launch.config
  // Who makes the terminal ends it when its own input ends.
  const input = stdin || tty ? 'pipe' : 'ignore'
  const child = launchBeside(launch, first, [input, 'pipe', tty ? 'ignore' : 'pipe'])
  const pid = await new Promise<number>((resolve, reject) => {
    child.once('spawn', () => resolve(child.pid ?? 0))
    child.once('error', (error) => reject(new RuntimeError('Unknown', error.message)))
  })
  let isClosed = false
  const end = () => {
    for (const each of treeOf(pid, allProcesses())) signalProcess(each.pid, 'SIGKILL')
    signalProcess(-pid, 'SIGKILL')
    child.stdout?.destroy()
    child.stderr?.destroy()
  }
  const close = () => {
    if (child.exitCode !== null) return
    isClosed = true
    end()
  }
  child.stdin?.on('error', () => {})
  const ended = new Promise<number | undefined>((resolve) => {
    child.once('close', (code) => resolve(isClosed ? undefined : (code ?? 137)))
  })
  if (signal?.aborted) close()
  signal?.addEventListener('abort', close, { once: true })
  void ended.then(() => signal?.removeEventListener('abort', close))
  const resize = terminalResizer(pid, clock)
  return {
    ...{ stdin: stdin ? (child.stdin as Writable) : undefined, ended, close },
    ...{ stdout: child.stdout as Readable, stderr: tty ? undefined : (child.stderr as Readable) },
    resize: (size) => tty && resize(size),
  }
}
