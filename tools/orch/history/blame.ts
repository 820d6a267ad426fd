/** `orch blame`: which manager set each field of an object, and since when. */
import type { Terminal } from '../../../daemons/run.ts'
import { blame, objectHistory } from '../../../runtime/history/history.ts'
import { type ClientLine, runClientCommand } from '../client-command.ts'
import { oldestLine, targetHelp, targetOf, valueText } from './target.ts'

const help = `Tells which manager set each field of an object, since which revision, and from which file where the manager says so.

Usage:
  orch blame KIND NAME [-n NS] [FIELD] [flags]

  orch blame deployment web -n shop
  orch blame deployment web -n shop spec.replicas

Who has a field is what metadata.managedFields says; since when, the versions that the server keeps. "<=" stands before a revision where the field may
be older than what is kept. A file is what the annotations config.kubernetes.io/origin and config.kubernetes.io/path name.

Flags:
  -o, --output FORM      table, json or yaml (default table)
${targetHelp}`

/** Runs the command. 0: told; 1: the server cannot be asked, or has no such object; 2: the command line is wrong. */
export function runBlame(terminal: Terminal): Promise<number> {
  return runClientCommand({ name: 'blame', help, plainNames: true }, terminal, blameObject)
}

async function blameObject(line: ClientLine): Promise<number> {
  const { words, values, failed, print, show } = line
  const [, , field] = words
  if (words.length < 2 || words.length > 3) return failed(2, 'name a kind and an object')
  const { resource, key } = await targetOf(line, words)
  const history = await objectHistory(resource, key)
  const fields = blame(history).filter(
    ({ path }) =>
      field === undefined ||
      path === field ||
      path.startsWith(`${field}.`) ||
      path.startsWith(`${field}[`),
  )
  const rows = fields.map((one) => ({
    field: one.path,
    value: valueText(one.value),
    manager: one.subresource ? `${one.manager} (${one.subresource})` : one.manager,
    since: `${one.orBefore ? '<=' : ''}${one.since}`,
    at: one.at ?? '',
    file: one.file ?? '',
  }))
  show(rows)
  if (values.output === 'table' && fields.some(({ orBefore }) => orBefore))
    print(oldestLine(history))
  return 0
}
