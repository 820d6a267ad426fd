/** `orch migrate-storage`: every object is stored anew, by the key and in the version that the server stores with now. */
import type { Terminal } from '../../daemons/run.ts'
import type { Client, DynamicObject, Resource } from '../../runtime/client/client.ts'
import { connect } from '../../runtime/connection/connection.ts'
import { systemClock } from '../../runtime/kernel/async/clock.ts'
import type { Kind } from '../../runtime/kernel/descriptors/kind.ts'
import { errorText } from '../../runtime/kernel/errors/error-text.ts'
import { isStatus } from '../../runtime/kernel/errors/status-error.ts'
import type { Stored } from '../../runtime/kernel/meta/object.ts'
import { nearestName } from '../../runtime/kernel/values/spelling.ts'
import { readCommandLine } from './command-line.ts'
import {
  definitionOf,
  definitionsOf,
  forgetVersions,
  storageVersionOf,
} from './migrate-storage/definition.ts'
import { openProgress, type Progress, type ResourceProgress } from './migrate-storage/progress.ts'

/** Objects whose patches are waited for together. */
const batchSize = 200

/** Milliseconds between two lines about how far it came. */
const lineMs = 2000

const help = `Stores objects anew, by the key and in the version that the server stores with now.

Usage:
  orch migrate-storage [RESOURCE ...] [flags]

  orch migrate-storage                          everything
  orch migrate-storage secrets configmaps       after a change of the keys that encrypt them
  orch migrate-storage widgets.shop.example.com after a change of the version that is stored

To change a key without losing anything: put the new key first in the file of --encryption-provider-config and keep the old one behind
it, let the server read the file, run this command, then remove the old key. Of several servers, or processes, let each read a file
first in which the new key is the second: what one of them has encrypted by it the others have to decrypt.

A resource of a custom definition whose objects are all stored anew has its other versions taken out of status.storedVersions, so that they
can be removed from the definition.

With --progress, what is done is written into a file after every ${batchSize} objects; a run that was ended goes on there. The file goes with the
last object. Between two runs, the keys and the versions that things are stored with have to stay the same; if a definition stores in
another version by now, its resource begins anew.

Each object gets an empty patch, as somebody who changes nothing would send it: a server writes those that it would store otherwise,
and leaves the others alone. Running it again is harmless.

Flags:
      --concurrency NUMBER  patches that are under way at a time (default 8)
      --context NAME        the context of the server (default: the current one)
      --kubeconfig FILE     the file of the context, or several as the variable holds them (default: what ORCHCONFIG and
                            KUBECONFIG name, then the home folder)
      --progress FILE       where to keep how far it came
  -h, --help                show this help

Exit codes: 0 everything is stored anew, 1 something is not, 2 the command line is wrong.
`

const flags = {
  concurrency: { type: 'string', default: '8' },
  context: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
  kubeconfig: { type: 'string' },
  progress: { type: 'string' },
} as const

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
    const served = await client.kinds()
    const kinds = chosenKinds(served, positionals)
    if (typeof kinds === 'string') return failed(2, kinds)
    const progress = await openProgress(values.progress)
    const definitions = definitionsOf(client, served)
    const migration = { concurrency, progress, definitions, print, printError }
    let failures = 0
    for (const kind of kinds) {
      failures += await migrate(client.resource(kind), migration)
    }
    await progress.end()
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
  readonly progress: Progress
  readonly definitions: Resource<DynamicObject> | undefined
}

/** Patches all objects of a kind, and takes the versions that none is stored in any more off its definition; gives how many could not be patched. */
async function migrate(resource: Resource<DynamicObject>, migration: Migration): Promise<number> {
  const { progress, definitions, print, printError } = migration
  const name = fullName(resource.kind)
  const definition = definitions && (await definitionOf(definitions, resource.kind))
  const version = definition === undefined ? '' : storageVersionOf(definition)
  const begun = progress.of(name)
  const goesOn = begun !== undefined && begun.version === version
  const counts: ResourceProgress = goesOn
    ? begun
    : { version, after: '', seen: 0, written: 0, failed: 0 }
  if (counts.done) return counts.failed
  if (goesOn) print(`${name}: goes on behind ${counts.after}, ${counts.seen} objects are done`)
  let said = systemClock.now()
  for await (const batch of batchesOf(resource, counts)) {
    await storeAll(resource, batch, counts, migration)
    counts.after = keyOf(batch.at(-1)!)
    await progress.save(name, counts)
    if (batch.length < batchSize || systemClock.now() - said < lineMs) continue
    said = systemClock.now()
    printError(`${name}: ${counts.seen} objects, ${counts.written} stored anew so far`)
  }
  if (counts.failed === 0 && definitions !== undefined && definition !== undefined) {
    await forgetVersions(definitions, definition, print)
  }
  await progress.save(name, { ...counts, done: true })
  if (counts.seen > 0) print(`${name}: ${counts.seen} objects, ${counts.written} stored anew`)
  return counts.failed
}

/** Objects behind the last one that is done, in the order in which they are stored. A list that became too old begins anew, and is gone on with there. */
async function* batchesOf(
  resource: Resource<DynamicObject>,
  counts: Pick<ResourceProgress, 'after'>,
): AsyncGenerator<readonly Stored<DynamicObject>[]> {
  for (;;) {
    let batch: Stored<DynamicObject>[] = []
    try {
      for await (const object of resource.list({ metadataOnly: true })) {
        if (Buffer.from(keyOf(object)).compare(Buffer.from(counts.after)) <= 0) continue
        batch.push(object)
        if (batch.length < batchSize) continue
        yield batch
        batch = []
      }
      if (batch.length > 0) yield batch
      return
    } catch (error) {
      if (!isStatus(error, 'Expired')) throw error
    }
  }
}

function keyOf({ metadata: { namespace, name } }: Stored<DynamicObject>): string {
  return namespace === undefined ? name : `${namespace}/${name}`
}

/** Patches the objects of a batch, some at a time. */
async function storeAll(
  resource: Resource<DynamicObject>,
  batch: readonly Stored<DynamicObject>[],
  counts: ResourceProgress,
  { concurrency, printError }: Migration,
): Promise<void> {
  const left = batch.values()
  const work = async (): Promise<void> => {
    for (const object of left) {
      counts.seen += 1
      try {
        if (await storeAnew(resource, object)) counts.written += 1
      } catch (error) {
        counts.failed += 1
        const name = fullName(resource.kind)
        printError(`orch migrate-storage: ${name} ${keyOf(object)}: ${errorText(error)}`)
      }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
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
