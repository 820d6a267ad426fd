import { spawn } from 'node:child_process'
import { accessSync, constants, readdirSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { hangMs } from './deadline.ts'
import { type Finished, runProgram } from './orch.ts'

/** The kubectl that PATH finds, if there is one. */
export function defaultKubectl(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.map((folder) => join(folder, 'kubectl')).find(executable)
}

/** `kubectl.1.27` and its like beside the default one, oldest first. */
export function versionedKubectls(): readonly string[] {
  const found = defaultKubectl()
  if (found === undefined) return []
  const folder = dirname(realpathSync(found))
  return readdirSync(folder)
    .filter((name) => /^kubectl\.1\.\d+$/.test(name))
    .sort((a, b) => minor(a) - minor(b))
    .map((name) => join(folder, name))
    .filter(executable)
}

function minor(name: string): number {
  return Number(name.split('.').at(-1))
}

function executable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** One kubectl against one server, with a cache of its own. */
export interface Kubectl {
  /** Runs a command line, split at spaces, to its end. */
  run(line: string, input?: string): Promise<Finished>
  /** Like `run`, gives what was printed, fails with all of it unless the exit code is 0. */
  ok(line: string, input?: string): Promise<string>
  /** Starts a command line and gives its lines as they come. */
  follow(line: string): Following
}

export interface Following {
  /** Waits until what was printed matches; fails with all of it when it hangs or the output ends. */
  printed(pattern: RegExp): Promise<void>
  stop(): Promise<void>
}

export function kubectl(
  binary: string,
  orchconfig: string,
  home: string,
  more: Readonly<Record<string, string>> = {},
): Kubectl {
  const env = { KUBECONFIG: orchconfig, HOME: home, GOGC: 'off', ...more }
  const common = ['--cache-dir', join(home, 'cache')]
  const run = (line: string, input?: string) =>
    runProgram(binary, [...common, ...line.split(' ')], {
      env,
      ...(input === undefined ? {} : { input }),
    })
  return {
    run,
    async ok(line, input) {
      const { code, stdout, stderr } = await run(line, input)
      if (code !== 0) throw new Error(`kubectl ${line} ended with ${code}:\n${stdout}${stderr}`)
      return stdout
    },
    follow: (line) => follow(binary, [...common, ...line.split(' ')], env),
  }
}

function follow(binary: string, args: readonly string[], env: NodeJS.ProcessEnv): Following {
  const child = spawn(binary, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let over = false
  let changed: () => void = () => {}
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => {
      over = true
      changed()
      resolve()
    })
  })
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
      changed()
    })
  }
  return {
    printed(pattern) {
      return new Promise((resolve, reject) => {
        const fail = (why: string) => reject(new Error(`not printed ${why}: ${pattern}\n${output}`))
        const timer = setTimeout(() => fail('and it hangs'), hangMs)
        changed = () => {
          const found = pattern.test(output)
          if (!found && !over) return
          clearTimeout(timer)
          changed = () => {}
          if (found) resolve()
          else fail('before the end')
        }
        changed()
      })
    },
    stop() {
      child.kill()
      return ended
    },
  }
}
