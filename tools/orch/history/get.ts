/** `orch get`: an object, or all of a kind, as of now or as of a revision. */
import type { Terminal } from '../../../daemons/run.ts'
import { apiVersionOf } from '../../../runtime/kernel/meta/object.ts'
import { type ClientLine, runClientCommand } from '../client-command.ts'
import { targetHelp, targetOf, versionAt } from './target.ts'

const help = `Shows an object, or all of a kind, as it is, or as it was at a revision or at a time.

Usage:
  orch get KIND [NAME] [-n NS] [--at REVISION|TIME] [flags]

  orch get deployment web -n shop --at 4711
  orch get cm settings --at 2026-01-31T12:00:00Z
  orch get pods -n shop --at 4711

A time needs a NAME: it is looked up in the versions of the object, by what managers say of when they wrote.

Flags:
      --at WHEN          a revision (a resourceVersion), or a time (default: now)
  -o, --output FORM      yaml or json (default yaml)
${targetHelp}`

/** Runs the command. 0: shown; 1: the server cannot be asked, or did not have it; 2: the command line is wrong. */
export function runGet(terminal: Terminal): Promise<number> {
  const flags = { at: { type: 'string' } } as const
  return runClientCommand(
    { name: 'get', help, plainNames: true, flags, forms: ['yaml', 'json'] },
    terminal,
    get,
  )
}

async function get(line: ClientLine): Promise<number> {
  const { words, values, failed, print } = line
  const [kind, name] = words
  const at = values.at as string | undefined
  if (kind === undefined || words.length > 2) return failed(2, 'name a kind, and an object')
  const target = await targetOf(line, words)
  const found = name === undefined ? await all() : await one(name)
  if (found === undefined) {
    return failed(1, `${kind} "${name}" was not there at ${at}`)
  }
  print(values.output === 'json' ? JSON.stringify(found, undefined, 2) : await yamlOf(found))
  return 0

  async function one(name: string): Promise<object | undefined> {
    const { resource, key } = target
    return at === undefined ? resource.get({ ...key, name }) : versionAt(target, at)
  }

  async function all(): Promise<object> {
    const { resource, key } = target
    if (at !== undefined && !/^\d+$/.test(at)) throw new Error(`--at ${at}: a time needs a NAME`)
    const collection = key.namespace === undefined ? resource : resource.in(key.namespace)
    const { items, resourceVersion } = await collection.listAll(at === undefined ? {} : { at })
    const apiVersion = apiVersionOf(resource.kind)
    return { apiVersion, kind: resource.kind.listKind, metadata: { resourceVersion }, items }
  }
}

async function yamlOf(value: object): Promise<string> {
  const { stringify } = await import('yaml')
  return stringify(value).trimEnd()
}
