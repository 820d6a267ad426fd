import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Program } from '../../daemons/run.ts'
import { hangMs, hangSignal } from './deadline.ts'

/** The built `orch` command. */
export const orchCommand = fileURLToPath(new URL('../../tools/orch/main.js', import.meta.url))
/** The packed `orch-apiserver` daemon, as users start it. */
export const apiserverCommand = fileURLToPath(
  new URL('../../packed/orch-apiserver.js', import.meta.url),
)

/** With it `orch up` runs controllers of the cluster alone: what a test writes of workloads stays as it was written. */
export const clusterControllers =
  '--controllers=garbagecollector,namespace,serviceaccount,root-ca-cert-publisher,clusterrole-aggregation,ttl-after-finished,podgc'

/** A program that said `ready` and serves. */
export interface Running {
  readonly url: string
  /** Where `orch up --insecure-port` is reached without TLS. */
  readonly insecureUrl: string
  /** Everything it printed up to `ready`. */
  readonly greeting: string
  readonly process: ChildProcess
  /** Sends a signal and waits for the end: the exit code, or the signal that ended it. */
  stop(signal?: NodeJS.Signals): Promise<number | string>
}

/** A user without rights, where the tests have those of root. */
export const ordinaryUser = process.getuid?.() === 0 ? 65_534 : undefined

/** Starts a built program and waits until it prints `ready <address>`. `user` runs it, which takes rights of root. */
export function startProgram(
  file: string,
  args: readonly string[],
  cwd?: string,
  user?: number,
): Promise<Running> {
  const child = spawn(process.execPath, [file, ...args], {
    ...{ cwd, stdio: ['ignore', 'pipe', 'pipe'] },
    ...(user !== undefined && { uid: user, gid: user }),
  })
  const ended = new Promise<number | string>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal ?? ''))
  })
  return new Promise((resolve, reject) => {
    let [output, errors] = ['', '']
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`hangs before it is ready:\n${output}${errors}`))
    }, hangMs)
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text
    })
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      const url = /^ready (\S+)$/m.exec(output)?.[1]
      if (url === undefined) return
      clearTimeout(timer)
      resolve({
        url,
        insecureUrl: /^without TLS.* (http:\S+)$/m.exec(output)?.[1] ?? '',
        greeting: output,
        process: child,
        stop(signal = 'SIGTERM') {
          child.kill(signal)
          return ended
        },
      })
    })
    ended.then((end) => {
      clearTimeout(timer)
      reject(new Error(`ended with ${end} before it was ready:\n${output}${errors}`))
    })
  })
}

/** How a program ended that runs to its end by itself. */
export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program to its end; one that hangs is killed. */
export function runProgram(
  file: string,
  args: readonly string[],
  options: {
    readonly env?: NodeJS.ProcessEnv
    readonly cwd?: string
    readonly input?: string
  } = {},
): Promise<Finished> {
  const { env, cwd, input = '' } = options
  const child = spawn(file, args, { env: { ...process.env, ...env }, cwd, timeout: hangMs })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, stdout, stderr }))
  })
}

/** Runs a built program of ours to its end. */
export function runNode(file: string, args: readonly string[], cwd?: string): Promise<Finished> {
  return runProgram(process.execPath, [file, ...args], cwd === undefined ? {} : { cwd })
}

/** How a command ended that ran in this process. */
export interface Ended {
  readonly code: number
  /** The lines that it printed, on standard output and on standard error. */
  readonly text: string
  readonly stdout: string
  readonly stderr: string
}

/**
 * Runs a command of ours to its end in this process, which has loaded it already. That it is found by its name, and how its process
 * ends, takes `runNode`.
 */
export async function runHere(command: Program, args: readonly string[]): Promise<Ended> {
  const lines: { readonly line: string; readonly isError: boolean }[] = []
  const code = await command(
    {
      ...{ args, environment: {}, width: 100 },
      print: (line) => void lines.push({ line, isError: false }),
      printError: (line) => void lines.push({ line, isError: true }),
    },
    hangSignal(),
  )
  const printed = (kept: typeof lines) => kept.map(({ line }) => `${line}\n`).join('')
  return {
    code,
    text: lines.map(({ line }) => line).join('\n'),
    stdout: printed(lines.filter(({ isError }) => !isError)),
    stderr: printed(lines.filter(({ isError }) => isError)),
  }
}
