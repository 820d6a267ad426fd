/** Programs at a real terminal, by `script` of util-linux. */
import { spawn, spawnSync } from 'node:child_process'
import { hangMs } from './deadline.ts'

/** A program that sits at a terminal. */
export interface Terminal {
  /** Waits until what the terminal shows matches, and gives the match; fails with all of it if it hangs or ends. */
  shows(pattern: RegExp): Promise<RegExpExecArray>
  /** What is typed, control characters among it. */
  type(text: string): void
  /** Gives the terminal another size, of which the program is told as by the frame of a window. */
  resize(rows: number, columns: number): void
  /** The exit code of the program. */
  readonly ended: Promise<number>
}

/** True where this machine has what terminals are made of. */
export const hasTerminals = spawnSync('script', ['--version']).status === 0

/** Starts a command of a shell at a terminal of that size. */
export async function atTerminal(
  command: string,
  { rows, columns, env }: { rows: number; columns: number; env: NodeJS.ProcessEnv },
): Promise<Terminal> {
  const line = `stty rows ${rows} cols ${columns}; echo "at $(tty)"; exec ${command}`
  const child = spawn('script', ['-qefc', line, '/dev/null'], {
    env: { ...process.env, ...env, SHELL: '/bin/sh' },
  })
  let output = ''
  let over = false
  let changed = (): void => {}
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    changed()
  })
  child.stdin.on('error', () => {})
  const ended = new Promise<number>((resolve) => {
    child.once('close', (code) => {
      over = true
      changed()
      resolve(code ?? -1)
    })
  })
  const terminal = {
    ended,
    type: (text: string) => void child.stdin.write(text),
    shows: (pattern: RegExp) =>
      new Promise<RegExpExecArray>((resolve, reject) => {
        const fail = (why: string) => reject(new Error(`not shown ${why}: ${pattern}\n${output}`))
        const timer = setTimeout(() => fail('and it hangs'), hangMs)
        changed = () => {
          const found = pattern.exec(output)
          if (found === null && !over) return
          clearTimeout(timer)
          changed = () => {}
          if (found === null) return fail('before the end')
          output = output.slice(found.index + found[0].length)
          resolve(found)
        }
        changed()
      }),
  }
  const [, device = ''] = await terminal.shows(/at (\S+)\r?\n/)
  return {
    ...terminal,
    resize(newRows, newColumns) {
      spawnSync('stty', ['-F', device, 'rows', `${newRows}`, 'cols', `${newColumns}`])
    },
  }
}
