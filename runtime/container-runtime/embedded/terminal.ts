/** Terminals of containers: `script` of util-linux makes one and hands the bytes on. */
import { spawn } from 'node:child_process'
import type { Clock } from '../../kernel/async/clock.ts'
import { RuntimeError } from '../contract/runtime-error.ts'
import type { TerminalSize } from '../contract/session.ts'
import { findProgram, programFolders } from './host-image.ts'
import { allProcesses, processFacts, treeOf } from './processes.ts'

/** The words that run a command in a terminal. @throws a RuntimeError where the machine cannot make one. */
export function inTerminal(command: readonly string[]): readonly string[] {
  const script = findProgram('script', programFolders)
  if (script === undefined) {
    const why = 'this machine has no program script, by which a container has a terminal'
    throw new RuntimeError('FailedPrecondition', why)
  }
  const line = `exec ${command.map(quoted).join(' ')}`
  return [script, '-q', '-e', '-f', '-E', 'always', '-c', line, '/dev/null']
}

/** The process that has the terminal, of those that `pid` started; undefined if there is none yet. */
export function terminalProcess(pid: number): number | undefined {
  const tree = treeOf(pid, allProcesses())
  const script = tree.find(({ name }) => name === 'script')
  return script && tree.find(({ parent }) => parent === script.pid)?.pid
}

const [retryMs, mostTries] = [100, 100]

/**
 * What sets the size of the terminal among what `pid` started, as soon as there is one; programs are told by the kernel. The last size
 * counts: one after the other is set.
 */
export function terminalResizer(pid: number, clock: Clock): (size: TerminalSize) => void {
  let latest: TerminalSize | undefined
  let tries = 0
  let isSetting = false
  const set = (): void => {
    if (latest === undefined || isSetting) return
    const size = latest
    isSetting = true
    setSize(pid, size, (isSet) => {
      isSetting = false
      tries -= 1
      if (size !== latest) set()
      else if (isSet || tries === 0 || processFacts(pid) === undefined) latest = undefined
      else clock.after(retryMs, set)
    })
  }
  return (size) => {
    latest = size
    tries = mostTries
    set()
  }
}

/** Sets the size of the terminal; false where the process that is to have it has not taken it yet. */
function setSize(pid: number, size: TerminalSize, done: (isSet: boolean) => void): void {
  const process = terminalProcess(pid)
  if (process === undefined) {
    done(false)
    return
  }
  const words = ['cols', String(size.columns), 'rows', String(size.rows)]
  spawn('stty', ['-F', `/proc/${process}/fd/0`, ...words], { stdio: 'ignore' })
    .once('error', () => done(true))
    .once('exit', (code) => done(code === 0))
    .unref()
}

/** One word for a shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
