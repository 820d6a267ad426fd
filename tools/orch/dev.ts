/** `orch dev`: a control plane and an operator on this machine that follow what is saved. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Terminal } from '../../daemons/run.ts'
import { readCommandLine } from './command-line.ts'
import { DevLoop } from './dev/loop.ts'
import { DevOperator } from './dev/operator.ts'
import { DevServer } from './dev/server.ts'
import { pathProblem } from './given-paths.ts'
import { quoted } from './orchconfig.ts'

const help = `Runs a control plane with your kinds, and your operator against it, until it is interrupted.

A saved schema file is generated anew, and the server begins to serve what it says; objects stay. A saved source file starts the operator
again, and the TypeScript of your project checks types beside it. What is wrong is shown, and the last state that was right goes on running.

Usage:
  orch dev [flags]

Flags:
      --data-dir DIR     where objects are kept (default: .orch/dev; in memory where sqlite3 is not installed)
      --js               end relative imports of generated files in .js instead of .ts
      --operator FILE    program to run, TypeScript or JavaScript (default: src/main.ts; none if it is not there)
      --orchconfig FILE  where to write the file that clients read (default: .orch/orchconfig)
      --out DIR          folder of generated files (default: generated)
      --platform FILE    names of the platform (default: orch's own)
      --port PORT        port on 127.0.0.1 (default: a free one)
      --schemas DIR      folder of your schema files (default: schemas)
  -h, --help             show this help
`

const flags = {
  'data-dir': { type: 'string', default: '.orch/dev' },
  help: { type: 'boolean', short: 'h', default: false },
  js: { type: 'boolean', default: false },
  operator: { type: 'string' },
  orchconfig: { type: 'string', default: '.orch/orchconfig' },
  out: { type: 'string', default: 'generated' },
  platform: { type: 'string' },
  port: { type: 'string', default: '0' },
  schemas: { type: 'string', default: 'schemas' },
} as const

const usualProgram = 'src/main.ts'

/** Runs the command until its signal aborts. 0: it was interrupted; 2: the command line is wrong. */
export async function runDev(terminal: Terminal, signal: AbortSignal): Promise<number> {
  const line = readCommandLine({ args: [...terminal.args], options: flags })
  if (typeof line === 'string') return refuse([line], terminal)
  const { values } = line
  if (values.help) {
    terminal.print(help.trimEnd())
    return 0
  }
  const { schemas, out, platform, port } = values
  const program = values.operator ?? (existsSync(usualProgram) ? usualProgram : undefined)
  const named = [
    ['--schemas', schemas, 'folder'],
    ['--platform', platform, 'file'],
    ['--operator', program, 'file'],
  ] as const
  const problems = named.flatMap(([flag, path, expected]) => {
    const problem = path && pathProblem(flag, path, expected)
    return problem ? [problem] : []
  })
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    problems.push(`--port ${port}: a port is a number from 0 to 65535`)
  }
  if (problems.length > 0) return refuse(problems, terminal)
  const orchconfig = resolve(values.orchconfig)
  const { printError } = terminal
  const server = new DevServer({
    dataDir: values['data-dir'],
    port: Number(port),
    orchconfig,
    printError,
  })
  const variables = { ...terminal.environment, KUBECONFIG: orchconfig, ORCHCONFIG: orchconfig }
  const print = (text: string) => terminal.print(`operator  ${text}`)
  terminal.print('to use it from another terminal, paste this line:\n')
  terminal.print(`  export KUBECONFIG=${quoted(orchconfig)} ORCHCONFIG=${quoted(orchconfig)}\n`)
  const loop = new DevLoop({
    ...{ schemas, out, server, terminal },
    generate: { ...(platform && { platform }), ...(values.js && { importExtension: '.js' }) },
    operator:
      program === undefined ? undefined : new DevOperator({ file: program, variables, print }),
    timeOfDay: () => new Date().toTimeString().slice(0, 8),
  })
  await loop.run(signal)
  return 0
}

/** Says what is wrong with the command line. */
function refuse(problems: readonly string[], { printError }: Terminal): number {
  for (const problem of problems) printError(`orch dev: ${problem}`)
  printError('run orch dev --help to see all flags')
  return 2
}
