/** `orch migrate-storage`: every object is stored anew, by the key and in the version that the server stores with now. */
import type { Terminal } from '../../daemons/run.ts'
import type { Client, DynamicObject, Resource } from '../../runtime/client/client.ts'
import { connect } from '../../runtime/connection/connection.ts'
import type { Kind } from '../../runtime/kernel/descriptors/kind.ts'
import { errorText } from '../../runtime/kernel/errors/error-text.ts'
import { isStatus } from '../../runtime/kernel/errors/status-error.ts'
import type { Stored } from '../../runtime/kernel/meta/object.ts'
import { nearestName } from '../../runtime/kernel/values/spelling.ts'
import { readCommandLine } from './command-line.ts'

const help = `Stores objects anew, by the key and in the version that the server stores with now.

Usage:
  orch migrate-storage [RESOURCE ...] [flags]

  orch migrate-storage                          everything
  orch migrate-storage secrets configmaps       after a change of the keys that encrypt them
  orch migrate-storage widgets.shop.example.com after a change of the version that is stored

To change a key without losing anything: put the new key first in the file of --encryption-provider-config and keep the old one behind
it, let every server read the file, run this command, then remove the old key.

Each object gets an empty patch, as somebody who changes nothing would send it: a server writes those that it would store otherwise,
and leaves the others alone. Running it again is harmless.

Flags:
      --concurrency NUMBER  patches that are under way at a time (default 8)
      --context NAME        the context of the server (default: the current one)
      --kubeconfig FILE     the file of the context, or several as the variable holds them (default: what ORCHCONFIG and
                            KUBECONFIG name, then the home folder)
  -h, --help                show this help

Exit codes: 0 everything is stored anew, 1 something is not, 2 the command line is wrong.
`

const flags = {
  concurrency: { type: 'string', default: '8' },
  context: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
  kubeconfig: { type: 'string' },
} as const

/** Objects that are read at a time. */
const pageSize = 500

/** Runs the command. 0: done; 1: some objects are not stored anew; 2: the command line is wrong. */
export async function runMigrateStorage({ args, print, printError }: Terminal): Promise<number> {
  const failed = (code: number, message: string): number => {
    printError(`orch migrate-storage: ${message}`)
    return code
  }
  const line = readCommandLine({ args: [...args], options: flags, allowPositionals: true })
  if (typeof line === 'string') return failed(2, line)
  const { values, positionals } = line
  if (values.help) {
    print(help.trimEnd())
    return 0
  }
  const concurrency = Number(values.concurrency)
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > 1000) {
    return failed(2, '--concurrency must be a number from 1 to 1000')
  }
  let client: Client | undefined
  try {
    const { context } = values
    client = await connect(values.kubeconfig, {
      manager: 'orch-migrate-storage',
      ...(context !== undefined && { context }),
    })
    const kinds = chosenKinds(await client.kinds(), positionals)
    if (typeof kinds === 'string') return failed(2, kinds)
    let failures = 0
    for (const kind of kinds) {
      failures += await migrate(client.resource(kind), { concurrency, print, printError })
    }
    return failures === 0 ? 0 : failed(1, `${failures} objects are not stored anew`)
  } catch (error) {
    return failed(1, errorText(error))
  } finally {
    await client?.close()
  }
}

/** Each stored kind once, whatever its versions; those that are named, or what is wrong with the names. */
function chosenKinds(
  served: readonly Kind<DynamicObject>[],
  names: readonly string[],
): readonly Kind<DynamicObject>[] | string {
  const stored = new Map<string, Kind<DynamicObject>>()
  for (const kind of served) {
    const full = fullName(kind)
    const isStored = kind.verbs.includes('list') && kind.verbs.includes('patch')
    if (isStored && !stored.has(full)) stored.set(full, kind)
  }
  if (names.length === 0) return [...stored.values()]
  const chosen: Kind<DynamicObject>[] = []
  for (const name of names) {
    const kind = stored.get(name) ?? [...stored.values()].find(({ plural }) => plural === name)
    if (kind === undefined) {
      const near = nearestName(name, [...stored.keys()])
      const hint = near === undefined ? '' : `; did you mean "${near}"?`
      return `the server stores no resource "${name}"${hint}`
    }
    chosen.push(kind)
  }
  return chosen
}

/** `secrets` or `deployments.apps`. */
function fullName({ plural, group }: Kind<DynamicObject>): string {
  return group === '' ? plural : `${plural}.${group}`
}

interface Migration extends Pick<Terminal, 'print' | 'printError'> {
  readonly concurrency: number
}

/** Patches all objects of a kind; gives how many could not be. */
async function migrate(
  resource: Resource<DynamicObject>,
  { concurrency, print, printError }: Migration,
): Promise<number> {
  const name = fullName(resource.kind)
  const counts = { seen: 0, written: 0, failed: 0 }
  const objects = resource.list({ pageSize })[Symbol.asyncIterator]()
  const work = async (): Promise<void> => {
    for (let next = await objects.next(); !next.done; next = await objects.next()) {
      counts.seen += 1
      const object = next.value
      try {
        if (await storeAnew(resource, object)) counts.written += 1
      } catch (error) {
        counts.failed += 1
        const { namespace, name: own } = object.metadata
        const key = namespace === undefined ? own : `${namespace}/${own}`
        printError(`orch migrate-storage: ${name} ${key}: ${errorText(error)}`)
      }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  if (counts.seen > 0) print(`${name}: ${counts.seen} objects, ${counts.written} stored anew`)
  return counts.failed
}

/** True if the server wrote it. One that is gone by now needs nothing. */
async function storeAnew(
  resource: Resource<DynamicObject>,
  { metadata }: Stored<DynamicObject>,
): Promise<boolean> {
  try {
    const patched = await resource.mergePatch(metadata, {})
    return patched.metadata.resourceVersion !== metadata.resourceVersion
  } catch (error) {
    if (isStatus(error, 'NotFound')) return false
    throw error
  }
}
