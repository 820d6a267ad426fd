/** `orch lsp`: what editors show of manifests and configuration files. */
import { connect, type Socket } from 'node:net'
import type { Terminal } from '../../daemons/run.ts'
import { isRelease, type PodSecurityLevel } from '../../runtime/validate/validate.ts'
import { readCommandLine } from './command-line.ts'
import { kindsProblem } from './given-paths.ts'

const help = `Serves an editor by the Language Server Protocol: findings as orch validate has them, completion, descriptions, quick fixes, ways to schemas
and to what is referred to, and renaming. Editors start it: docs/guide/editor.md says how.

Usage:
  orch lsp [flags]

Flags:
      --complete             every reference that leads nowhere is a finding, as for orch validate
  -h, --help                 show this help
      --pipe NAME            connect to this pipe of the editor
      --platform FILE        a file of platform names, as for orch validate
      --pod-security LEVEL   the level of namespaces without labels: privileged, baseline or restricted (default privileged)
      --release RELEASE      the release whose versions count, such as 1.32 (default: that of the schemas)
      --schemas FOLDER       schema files whose kinds are known, too; may be given several times
      --socket PORT          connect to this port of the editor on this machine
      --stdio                speak over standard input and output (default)

Exit codes: 0 the editor ended it, 1 the connection broke, 2 the command line is wrong.`

const flags = {
  clientProcessId: { type: 'string' },
  complete: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
  pipe: { type: 'string' },
  platform: { type: 'string', default: '' },
  'pod-security': { type: 'string' },
  release: { type: 'string' },
  schemas: { type: 'string', multiple: true, default: [] as string[] },
  socket: { type: 'string' },
  stdio: { type: 'boolean', default: false },
} as const

/** Runs the command until the editor ends it. */
export async function runLsp(terminal: Terminal): Promise<number> {
  const line = readCommandLine({ args: [...terminal.args], options: flags })
  if (typeof line === 'string') return misuse(terminal, line)
  const { values } = line
  if (values.help) {
    terminal.print(help)
    return 0
  }
  const { platform, schemas, release, complete, pipe, socket } = values
  const level = values['pod-security']
  if (release !== undefined && !isRelease(release)) {
    return misuse(terminal, `--release ${release}: write a release such as 1.32`)
  }
  if (level !== undefined && !['privileged', 'baseline', 'restricted'].includes(level)) {
    return misuse(terminal, `--pod-security ${level}: one of privileged, baseline, restricted`)
  }
  if (socket !== undefined && !/^[1-9]\d{0,4}$/.test(socket)) {
    return misuse(terminal, `--socket ${socket}: write the number of a port`)
  }
  const wrong = kindsProblem(values)
  if (wrong !== undefined) return misuse(terminal, wrong)
  const podSecurity = level as PodSecurityLevel | undefined
  const settings = {
    ...{ platform, schemas, complete },
    ...(release !== undefined && { release }),
    ...(podSecurity !== undefined && { podSecurity }),
  }
  const stream = socketOf(pipe, socket)
  const { createConnection, ProposedFeatures } = await import('vscode-languageserver/node')
  const { LanguageServer } = await import('./lsp/server.ts')
  const [input, output] = stream === undefined ? [process.stdin, process.stdout] : [stream, stream]
  const ended = new Promise<number>((resolve) => {
    input.once('end', () => resolve(0))
    input.once('close', () => resolve(0))
    input.once('error', (error) => {
      terminal.printError(`orch lsp: ${error.message}`)
      resolve(1)
    })
  })
  const connection = createConnection(ProposedFeatures.all, input, output)
  const server = new LanguageServer(connection, settings)
  server.start()
  const code = await ended
  await server.close()
  return code
}

/** The connection that the editor waits for; undefined for standard input and output. */
function socketOf(pipe: string | undefined, socket: string | undefined): Socket | undefined {
  if (pipe !== undefined) return connect(pipe)
  return socket === undefined ? undefined : connect(Number(socket), '127.0.0.1')
}

/** 2: the command line is wrong. */
function misuse({ printError }: Terminal, problem: string): number {
  printError(`orch lsp: ${problem}\nrun orch lsp --help to see how it is used`)
  return 2
}
