import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { hangMs } from './deadline.ts'

/** The packed `orch-controller-manager` daemon. */
export const managerCommand = fileURLToPath(
  new URL('../../packed/orch-controller-manager.js', import.meta.url),
)

/** The flags by which controllers move between programs under the lease `moving`: `leaders` as in the file that is written. */
export function migrationFlags(file: string, leaders: string): readonly string[] {
  writeFileSync(
    file,
    `apiVersion: controllermanager.config.orch.io/v1alpha1
kind: LeaderMigrationConfiguration
leaderName: moving
resourceLock: leases
controllerLeaders: [${leaders}]
`,
  )
  return ['--enable-leader-migration', `--leader-migration-config=${file}`]
}

/** A controller manager as a process. */
export interface ManagerProcess {
  readonly process: ChildProcess
  /** Resolves once it prints `ready`; rejects if it ends before. */
  readonly ready: Promise<void>
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>
  /** Everything that it printed so far. */
  output(): string
  stop(signal?: NodeJS.Signals): Promise<number | string>
}

/** Starts the built daemon, without a port unless the flags say one. It is killed if it is still there when a test hangs. */
export function startManager(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ManagerProcess {
  const child = spawn(process.execPath, [managerCommand, '--secure-port=0', ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const timer = setTimeout(() => child.kill('SIGKILL'), hangMs)
  const ended = new Promise<number | string>((resolve) => {
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      resolve(code ?? signal ?? '')
    })
  })
  const ready = new Promise<void>((resolve, reject) => {
    const take = (text: string): void => {
      output += text
      if (/^ready/m.test(output)) resolve()
    }
    child.stdout.setEncoding('utf8').on('data', take)
    child.stderr.setEncoding('utf8').on('data', take)
    ended.then((end) => reject(new Error(`ended with ${end}:\n${output}`)))
  })
  ready.catch(() => {})
  return {
    process: child,
    ready,
    ended,
    output: () => output,
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return ended
    },
  }
}
