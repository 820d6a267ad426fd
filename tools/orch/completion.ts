/** `orch completion`: scripts that complete a daemon's flags in a shell. */
import type { Terminal } from '../../daemons/run.ts'
import { features } from '../../generated/features.ts'
import { optionTables } from '../../generated/options.ts'
import { configFiles } from '../../runtime/config/config.ts'

const { completionScript, shells } = await configFiles()

/** Prints the script. 2: the command line is wrong. */
export async function runCompletion({
  args,
  print,
  printError: complain,
}: Terminal): Promise<number> {
  const [word = '', daemon = 'orch-apiserver'] = args
  const shell = shells.find((each) => each === word)
  const load = Object.hasOwn(optionTables, daemon) ? optionTables[daemon] : undefined
  if (shell === undefined || load === undefined) {
    const daemons = Object.keys(optionTables).join('|')
    complain(`usage: orch completion ${shells.join('|')} [${daemons}]`)
    return 2
  }
  print(completionScript(await load(), shell, features).trimEnd())
  return 0
}
