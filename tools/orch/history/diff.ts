/** `orch diff`: what changed between two versions of an object. */
import type { Terminal } from '../../../daemons/run.ts'
import type { ApiObject, Stored } from '../../../runtime/kernel/meta/object.ts'
import { changedValues } from '../../../runtime/reconcile/reconcile.ts'
import { type ClientLine, runClientCommand } from '../client-command.ts'
import { targetHelp, targetOf, valueText, versionAt } from './target.ts'

const help = `Tells what changed between two versions of an object, field by field, and whose fields these are now.

Usage:
  orch diff KIND NAME [-n NS] --from REVISION|TIME [--to REVISION|TIME] [flags]
  orch diff -f PATH...                  what orch apply would change: orch diff -f PATH --help

  orch diff deployment web -n shop --from 4711
  orch diff cm settings --from 4711 --to 2026-01-31T12:00:00Z

Flags:
      --from WHEN        the earlier version: a revision, or a time
      --to WHEN          the later one (default: now)
  -o, --output FORM      table or json (default table)
${targetHelp}`

/** So many fields are told. */
const most = 1000

/** Runs the command. 0: told; 1: the server cannot be asked, or did not have it; 2: the command line is wrong. */
export function runDiff(terminal: Terminal): Promise<number> {
  const flags = { from: { type: 'string' }, to: { type: 'string' } } as const
  return runClientCommand(
    { name: 'diff', help, plainNames: true, flags, forms: ['table', 'json'] },
    terminal,
    diff,
  )
}

async function diff(line: ClientLine): Promise<number> {
  const { words, values, failed, print } = line
  const { from, to } = values as { readonly from?: string; readonly to?: string }
  if (words.length !== 2) return failed(2, 'name a kind and an object')
  if (from === undefined) return failed(2, '--from has to say since when')
  const target = await targetOf(line, words)
  const { resource, key } = target
  const [before, after] = [
    await versionAt(target, from),
    await (to === undefined ? resource.find(key) : versionAt(target, to)),
  ] as readonly (Stored<ApiObject> | undefined)[]
  if (before === undefined) return failed(1, `${words.join(' ')} was not there at ${from}`)
  if (after === undefined)
    return failed(1, `${words.join(' ')} was not there at ${to ?? 'the end'}`)
  const changes = changedValues(before, after, most)
  if (values.output === 'json') print(JSON.stringify(changes, undefined, 2))
  else if (changes.length === 0) print('nothing changed')
  else {
    const lines = changes.map(({ path, before, after, managers }) => {
      const who = managers.length === 0 ? '' : `  (${managers.join(', ')})`
      return `${path}: ${valueText(before)} -> ${valueText(after)}${who}`
    })
    print(lines.join('\n'))
  }
  return 0
}
