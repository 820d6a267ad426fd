/** `orch history`: every version of an object that the server keeps. */
import type { Terminal } from '../../../daemons/run.ts'
import { type ObjectRevision, objectHistory } from '../../../runtime/history/history.ts'
import { type ClientLine, runClientCommand } from '../client-command.ts'
import { oldestLine, targetHelp, targetOf, valueText } from './target.ts'

const help = `Tells every version of an object that the server keeps, the latest first: when it was written, by which manager, and what that changed.

Usage:
  orch history KIND NAME [-n NS] [flags]

  orch history deployment web -n shop
  orch history cm settings -o json

It works with any server of release 1.29. How far it goes back is up to the server: --watch-history of ours (five minutes), the compaction
of the database of others. An object that is gone is found as long as its deletion is kept.

Flags:
      --limit N          versions at most (default: all that are kept)
  -o, --output FORM      table or json (default table)
${targetHelp}`

/** Runs the command. 0: told; 1: the server cannot be asked, or has no such object; 2: the command line is wrong. */
export function runHistory(terminal: Terminal): Promise<number> {
  const flags = { limit: { type: 'string' } } as const
  return runClientCommand(
    { name: 'history', help, plainNames: true, flags, forms: ['table', 'json'] },
    terminal,
    history,
  )
}

async function history(line: ClientLine): Promise<number> {
  const { words, values, failed, print } = line
  if (words.length !== 2) return failed(2, 'name a kind and an object')
  const limit = values.limit === undefined ? {} : { limit: Number(values.limit) }
  if (limit.limit !== undefined && !(Number.isInteger(limit.limit) && limit.limit >= 1)) {
    return failed(2, `--limit ${values.limit}: has to be a number of versions`)
  }
  const { resource, key } = await targetOf(line, words)
  const found = await objectHistory(resource, key, limit)
  if (values.output === 'json') {
    const revisions = found.revisions.map(({ object: _, ...rest }) => rest)
    print(JSON.stringify({ ...found, revisions }, undefined, 2))
    return 0
  }
  const lines = found.revisions.flatMap(linesOf)
  const oldest = oldestLine(found)
  print([...lines, ...(oldest === '' ? [] : [oldest])].join('\n'))
  return 0
}

const titles = {
  created: 'created',
  deleted: 'deleted',
  kept: 'what was before is compacted',
  updated: 'updated',
} as const

/** A version, and a line for each field that it changed. */
function linesOf({
  revision,
  is,
  at,
  managers,
  changes,
}: Omit<ObjectRevision, 'object'>): readonly string[] {
  const who = managers.length === 0 ? '' : ` by ${managers.join(' and ')}`
  const title = `${revision}  ${at ?? 'at an unknown time'}  ${titles[is]}${who}`
  return [
    title,
    ...changes.map(
      ({ path, before, after }) => `    ${path}: ${valueText(before)} -> ${valueText(after)}`,
    ),
  ]
}
