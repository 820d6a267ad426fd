/** `orch store`: moves, keeps and mends what servers store. */
import type { Terminal } from '../../daemons/run.ts'
import { errorText } from '../../runtime/kernel/errors/error-text.ts'
import { didYouMean } from '../../runtime/kernel/values/spelling.ts'
import { readCommandLine } from './command-line.ts'
import { type Call, flags, Misuse, type Values } from './store/call.ts'
import { runCompact } from './store/compact.ts'
import { runDoctor } from './store/doctor.ts'
import { runCopy, runLoad, runSave } from './store/move.ts'
import { runStats } from './store/stats.ts'

const help = `Moves, keeps and mends what servers store. A STORE is what --storage of orch-apiserver says: sqlite:FILE or postgres://...

Usage:
  orch store backup STORE --to FILE       a file with all that the store holds at this moment; servers go on meanwhile
  orch store restore FILE --to STORE      makes the store what it was, for clients that saw it go on since
  orch store export STORE [--to FILE]     the same file as a backup, or a stream on standard output
  orch store import FILE --to STORE       makes a store that goes on exactly where the export ended; - is standard input
  orch store copy STORE --to STORE        export and import at once, of a store that no server has open
  orch store doctor STORE|FILE            says everything that is wrong; --repair mends what can be mended
  orch store compact STORE                forgets history, and gives the space back
  orch store stats STORE|FILE             objects and bytes by resource, revisions, history, size on the disk

  orch store backup sqlite:orch.db --to monday.orch
  orch store copy sqlite:orch.db --to postgres://orch@db.example/orch
  orch store export sqlite:orch.db | ssh elsewhere orch store import - --to sqlite:orch.db
  orch store stats sqlite:orch.db -o json > monday.json; orch store stats sqlite:orch.db --since monday.json

Which of them: import and copy move a store: objects, their resourceVersions and the history go along, and clients resume their watches
as if nothing had happened. So stop the servers of the old store first and never start them again. restore goes back to an earlier
moment: objects have the resourceVersions of then, and every watch and page of lists is answered with 410, so that clients list anew;
new writes get revisions that were never given before. Encrypted objects stay encrypted: keep the keys as well.

A store that servers have open is neither loaded, examined nor copied away. A file that is cut short or changed is refused, and then
nothing has happened. What restore replaces in a file is kept beside it.

Flags:
      --accept-loss            doctor: with --repair, go on without the objects that are lost
  -h, --help                   show this help
  -o, --output FORMAT          text or json (default text)
  -q, --quiet                  no lines about progress
      --repair                 doctor: mend what was found
      --replace                import, restore, copy: take the place of what the store holds
      --revision NUMBER        compact: forget history up to this revision (default: the latest)
      --since FILE             stats: what grew since an earlier stats -o json
      --skip-revisions NUMBER  restore: how many revisions were given since the backup, at most (default 1000000000)
      --to STORE|FILE          where it goes

Exit codes: 0 done and nothing wrong, 1 not, 2 the command line is wrong.`

/** What each word after `orch store` does. */
const commands: Readonly<Record<string, (call: Call) => Promise<number>>> = {
  backup: (call) => runSave(call, 'backup'),
  compact: runCompact,
  copy: runCopy,
  doctor: runDoctor,
  export: (call) => runSave(call, 'export'),
  import: (call) => runLoad(call, 'import'),
  restore: (call) => runLoad(call, 'restore'),
  stats: runStats,
}

/** Runs the command. 0: done; 1: something failed or is wrong; 2: the command line is wrong. */
export async function runStore(terminal: Terminal, signal: AbortSignal): Promise<number> {
  const line = readCommandLine({
    args: [...terminal.args],
    options: flags,
    allowPositionals: true,
  })
  const misuse = (text: string): number => {
    terminal.printError(`orch store: ${text}\nrun orch store --help to see how it is used`)
    return 2
  }
  if (typeof line === 'string') return misuse(line)
  const { positionals } = line
  const values: Values = line.values
  if (values.help) {
    terminal.print(help)
    return 0
  }
  const [name, subject, ...rest] = positionals
  if (name === undefined)
    return misuse('say what to do: backup, restore, export, import, copy, doctor, compact, stats')
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command === undefined) {
    return misuse(`unknown: ${name}${didYouMean(name, Object.keys(commands))}`)
  }
  if (!['text', 'json'].includes(values.output))
    return misuse(`--output ${values.output}: text or json`)
  if (subject === undefined) return misuse(`${name}: name a store or a file`)
  if (rest.length > 0) return misuse(`${name}: ${rest.join(' ')}: takes one store or file`)
  try {
    return await command({ name, subject, values, terminal, signal })
  } catch (error) {
    if (error instanceof Misuse) return misuse(error.message)
    terminal.printError(`orch store ${name}: ${errorText(error)}`)
    return 1
  }
}
