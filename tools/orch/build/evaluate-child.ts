/** Evaluates one script and says what it exports. It is a process of its own, without an environment and with a bound on its memory. */
import vm from 'node:vm'
import { instrument, type Point } from './instrument.ts'
import type { Exported, prepare } from './sandbox.ts'

/** What is to be evaluated. */
export interface Evaluation {
  readonly script: string
  /** The text of the function `prepare`. */
  readonly world: string
  /** The most steps of loops. */
  readonly steps: number
  /** After so many milliseconds it is ended. */
  readonly timeout: number
}

/** What came of it: values, or what went wrong, at a place of the script. */
export type Evaluated = { readonly lines: readonly string[] } & (
  | { readonly exported: readonly Exported[] }
  | { readonly error: string; readonly endless?: true; readonly at?: Point }
)

const name = 'orch-config.js'

function evaluate({ script, world, steps, timeout }: Evaluation): Evaluated {
  const { code, literals, lists, loops, original } = instrument(script)
  const context = vm.createContext(Object.create(null), {
    codeGeneration: { strings: false, wasm: false },
  })
  const made: ReturnType<typeof prepare> = vm.runInContext(
    `(${world})(${JSON.stringify(literals)}, ${JSON.stringify(lists)}, ${steps})`,
    context,
  )
  const { lines } = made.state
  try {
    vm.runInContext(code, context, { filename: name, timeout })
    const take = vm.runInContext('(take) => take($module)', context)
    return { exported: JSON.parse(take(made.take)), lines: [...lines] }
  } catch (error) {
    const { message, stack, code } = error as Error & { readonly code?: string }
    const ended = code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
    const endless = ended || message === 'loops take too many steps'
    if (endless) {
      const at = loops[made.state.loop]
      const why = ended
        ? `it ran longer than ${timeout / 1000} s`
        : `its loops take more than ${steps} steps`
      return { error: why, endless: true, lines: [...lines], ...(at && { at }) }
    }
    const found = /orch-config\.js:(\d+):(\d+)/.exec(String(stack))
    const at = found && original([Number(found[1]), Number(found[2])])
    const said = error instanceof Object || typeof message === 'string' ? message : String(error)
    return { error: said, lines: [...lines], ...(at && { at }) }
  }
}

const chunks: Buffer[] = []
for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
process.stdout.write(JSON.stringify(evaluate(JSON.parse(Buffer.concat(chunks).toString()))))
