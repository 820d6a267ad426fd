/** `orch completion`: scripts that complete a daemon's flags in a shell. */
import type { Terminal } from '../../daemons/run.ts'
import { optionTables } from '../../generated/options.ts'
import { completionScript, shells } from '../../runtime/config/config.ts'

/** Prints the script. 2: the command line is wrong. */
export async function runCompletion({ args, print, complain }: Terminal): Promise<number> {
  const [word = '', daemon = 'orch-apiserver'] = args
  const shell = shells.find((each) => each === word)
  const load = Object.hasOwn(optionTables, daemon) ? optionTables[daemon] : undefined
  if (shell === undefined || load === undefined) {
    const daemons = Object.keys(optionTables).join('|')
    complain(`usage: orch completion ${shells.join('|')} [${daemons}]`)
    return 2
  }
  print(completionScript(await load(), shell).trimEnd())
  return 0
}
