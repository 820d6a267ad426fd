/** `orch graph`: which controller of a module wakes which, and what is odd about it. */
import type { Terminal } from '../../daemons/run.ts'
import { nearestName } from '../../runtime/kernel/values/spelling.ts'
import { type GraphFormat, graphFormats, printGraph } from '../../runtime/operator/operator.ts'
import { controllerGraph } from '../../runtime/reconcile/reconcile.ts'
import { readCommandLine } from './command-line.ts'
import { declaredWork, PackageError } from './package/controllers.ts'

const help = `Tells which controller wakes which, by which fields of which kind, and warns of controllers that wake themselves or each other
without end, and of those that nothing wakes. It reads what controllers declare: no server is asked.

Usage:
  orch graph --controllers FILE [flags]

  orch graph --controllers dist/controllers.js
  orch graph --controllers dist/controllers.js --format mermaid

Flags:
      --check            fail if there is a warning
      --controllers FILE the module that exports the controllers, one by one or in lists
      --format FORMAT    text; mermaid: a flowchart for a page in Markdown; dot: for Graphviz; json (default text)
  -h, --help             show this help
`

const flags = {
  check: { type: 'boolean', default: false },
  controllers: { type: 'string' },
  format: { type: 'string', default: 'text' },
  help: { type: 'boolean', short: 'h', default: false },
} as const

const formats: readonly string[] = [...graphFormats, 'json']

/** Runs the command. 0: told; 1: there is no such module, or a warning with --check; 2: the command line is wrong. */
export async function runGraph({ args, print, printError }: Terminal): Promise<number> {
  const failed = (code: number, message: string) => {
    printError(`orch graph: ${message}`)
    return code
  }
  const line = readCommandLine({ args: [...args], options: flags })
  if (typeof line === 'string') return failed(2, line)
  const { help: wantsHelp, controllers: file, format, check } = line.values
  if (wantsHelp) {
    print(help.trimEnd())
    return 0
  }
  if (file === undefined) return failed(2, '--controllers is needed to say whose graph it is')
  if (!formats.includes(format)) {
    const near = nearestName(format, formats)
    const hint = near === undefined ? `one of ${formats.join(', ')}` : `did you mean ${near}?`
    return failed(2, `--format ${format}: ${hint}`)
  }
  try {
    const { controllers } = await declaredWork(file)
    const graph = controllerGraph(controllers)
    const text =
      format === 'json' ? JSON.stringify(graph, null, 2) : printGraph(graph, format as GraphFormat)
    print(text.trimEnd())
    const warnings = graph.findings.filter(({ is }) => is === 'warning').length
    if (!check || warnings === 0) return 0
    return failed(1, `${warnings} warning${warnings === 1 ? '' : 's'}`)
  } catch (error) {
    if (error instanceof PackageError) return failed(1, error.message)
    throw error
  }
}
