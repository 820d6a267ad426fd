/** What the commands that ask a server have in common: their flags, the server, and how results are printed. */
import type { Terminal } from '../../daemons/run.ts'
import type { Client } from '../../runtime/client/client.ts'
import { connect } from '../../runtime/connection/connection.ts'
import { errorText } from '../../runtime/kernel/errors/error-text.ts'
import { readCommandLine } from './command-line.ts'

/** The flags that all of them have. */
export const sharedFlags = {
  context: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
  namespace: { type: 'string', short: 'n', default: '' },
  orchconfig: { type: 'string' },
  output: { type: 'string', short: 'o' },
} as const

/** Their part of the help. */
export const sharedHelp = `      --context NAME     the context of the orchconfig (default: its current one)
  -n, --namespace NS     the namespace that is asked about (default: the whole cluster)
  -o, --output FORM      table, json or yaml (default table)
      --orchconfig FILE  how to reach the server (default: ORCHCONFIG, KUBECONFIG, ~/.orch/config)
  -h, --help             show this help
`

/** What a command found: its rows, by the names of their columns in lower case. */
export type Row = Readonly<Record<string, string>>

/** A command that asks a server. */
export interface ClientCommand {
  readonly name: string
  readonly help: string
  /** Flags beside those that all of them have. */
  readonly flags?: Readonly<Record<string, object>>
  /** What `--output` may be, the default first. Default: table, json and yaml. */
  readonly forms?: readonly string[]
  /** Names inside of objects are shown and sent as the server has them, not as the kinds of this package have them. */
  readonly plainNames?: boolean
}

/** Reads the command line, runs the command over a client, and prints a failure in one line. */
export async function runClientCommand(
  { name, help, flags = {}, forms = ['table', 'json', 'yaml'], plainNames }: ClientCommand,
  { args, print, printError }: Terminal,
  run: (line: ClientLine) => Promise<number>,
): Promise<number> {
  const failed = (code: number, message: string): number => {
    const hint = code === 2 ? `\nrun orch ${name} --help to see how it is called` : ''
    printError(`orch ${name}: ${message}${hint}`)
    return code
  }
  const output = { ...sharedFlags.output, default: forms[0] }
  const options = { ...sharedFlags, output, ...flags } as typeof sharedFlags
  const read = readCommandLine({ args: [...args], options, allowPositionals: true })
  if (typeof read === 'string') return failed(2, read)
  const values = read.values as Readonly<Record<string, unknown>>
  if (values.help === true) {
    print(help)
    return 0
  }
  const form = String(values.output)
  if (!forms.includes(form)) {
    return failed(
      2,
      `--output ${form}: has to be ${forms.slice(0, -1).join(', ')} or ${forms.at(-1)}`,
    )
  }
  let client: Client | undefined
  const connected = async (): Promise<Client> => {
    const context = values.context as string | undefined
    client ??= await connect(values.orchconfig as string | undefined, {
      manager: 'orch',
      ...(context !== undefined && { context }),
      ...(plainNames && { publicNames: { keys: {}, groups: {} } }),
    })
    return client
  }
  const words = read.positionals
  try {
    return await run({
      words,
      values,
      connected,
      failed,
      print,
      show: (rows) => print(printed(rows, form)),
    })
  } catch (error) {
    return failed(1, errorText(error))
  } finally {
    await client?.close()
  }
}

/** The command line of a command that asks a server, and what it needs to answer. */
export interface ClientLine {
  readonly words: readonly string[]
  readonly values: Readonly<Record<string, unknown>>
  readonly connected: () => Promise<Client>
  readonly failed: (code: number, message: string) => number
  readonly show: (rows: readonly Row[]) => void
  readonly print: (text: string) => void
}

function printed(rows: readonly Row[], output: string): string {
  if (output === 'json') return JSON.stringify(rows, undefined, 2)
  if (output === 'yaml') return rows.length === 0 ? '[]' : rows.map(yamlRow).join('\n')
  const [first] = rows
  if (first === undefined) return 'none'
  const columns = Object.keys(first)
  const cells = [columns.map((one) => one.toUpperCase()), ...rows.map((row) => Object.values(row))]
  const widths = columns.map((_, at) => Math.max(...cells.map((line) => (line[at] ?? '').length)))
  return cells
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('   ')
        .trimEnd(),
    )
    .join('\n')
}

/** Texts in quotes are texts in YAML, too. */
function yamlRow(row: Row): string {
  return Object.entries(row)
    .map(([key, value], at) => `${at === 0 ? '- ' : '  '}${key}: ${JSON.stringify(value)}`)
    .join('\n')
}
