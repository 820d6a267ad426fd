import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import { errorText } from '../../../runtime/kernel/errors/error-text.ts'
import {
  checkedChanges,
  type LoadedStore,
  type StoreDump,
  type StoreLocation,
  writeArchive,
} from '../../../runtime/store/store.ts'
import { openArchive, writeWhole } from './archive-file.ts'
import { type Call, isStore, Misuse, namedStore, revisionFlag, target } from './call.ts'
import { withProgress } from './progress.ts'
import { bytesText, countText, numberText } from './text.ts'

const clock = systemClock

/** `export` and `backup`: a store into a file, or onto standard output. */
export async function runSave(call: Call, what: 'export' | 'backup'): Promise<number> {
  const { subject, values, terminal, signal } = call
  const file = values.to ?? (what === 'export' ? '-' : target(call))
  if (isStore(file)) throw new Misuse(`${what}: --to names a file; orch store copy goes to a store`)
  if (file === '-' && process.stdout.isTTY) {
    throw new Misuse(
      'export: standard output is a terminal: name a file with --to, or send it on with |',
    )
  }
  const { keeper } = await namedStore(subject)
  const dump = await keeper.dump({ clock })
  const counted = { rows: 0, bytes: 0 }
  try {
    const sound = { ...dump, changes: checkedChanges(dump) }
    const bytes = count(
      writeArchive(withProgress(sound, call), new Date(clock.now()).toISOString()),
      counted,
    )
    if (file === '-') {
      await pipeline(Readable.from(bytes, { objectMode: false }), process.stdout, { signal })
    } else await writeWhole(file, bytes, signal)
  } finally {
    await dump.close()
  }
  const rows = what === 'backup' ? await readBack(file) : undefined
  const { id, revision, compacted } = dump.state
  if (values.output === 'json') {
    const result = { file, cluster: id, revision, compacted, bytes: counted.bytes }
    const text = JSON.stringify(result)
    if (file === '-') terminal.printError(text)
    else terminal.print(text)
    return 0
  }
  const checked =
    rows === undefined ? '' : `, read back and found whole (${countText(rows, 'row')})`
  const text = `${file}: ${bytesText(counted.bytes)} as of revision ${numberText(revision)}${checked}`
  if (file === '-') terminal.printError(text)
  else terminal.print(text)
  return 0
}

/** Reads a backup as a restore would; gives its rows. */
async function readBack(file: string): Promise<number> {
  const archive = await openArchive(file)
  let rows = 0
  try {
    for await (const changes of checkedChanges(archive)) rows += changes.length
  } finally {
    await archive.close()
  }
  return rows
}

async function* count(
  bytes: AsyncIterable<Buffer>,
  counted: { bytes: number },
): AsyncGenerator<Buffer, void> {
  for await (const chunk of bytes) {
    counted.bytes += chunk.length
    yield chunk
  }
}

/** `import` and `restore`: a file, or standard input, into a store. */
export async function runLoad(call: Call, what: 'import' | 'restore'): Promise<number> {
  const { subject, values } = call
  if (isStore(subject)) throw new Misuse(`${what}: takes a file; orch store copy takes a store`)
  const skipped = revisionFlag('skip-revisions', values['skip-revisions'])
  const to = await namedStore(target(call))
  const archive = await openArchive(subject)
  try {
    const loaded = await to.keeper.load(withProgress(archive, call), {
      clock,
      replace: values.replace,
      ...(what === 'restore' && { skippedRevisions: skipped }),
    })
    return report(call, to.text, loaded)
  } finally {
    await archive.close()
  }
}

/** `copy`: a store into another one. */
export async function runCopy(call: Call): Promise<number> {
  const from = await namedStore(call.subject)
  const to = await namedStore(target(call))
  if (from.text === to.text || (await isSameFile(from.location, to.location))) {
    throw new Misuse('copy: both are the same store')
  }
  const dump: StoreDump = await from.keeper.dump({ clock, alone: true }).catch((error: unknown) => {
    throw new Error(
      `${errorText(error)}\na store is moved while no server has it open; orch store backup takes one that is open`,
      { cause: error },
    )
  })
  try {
    const { replace } = call.values
    return report(call, to.text, await to.keeper.load(withProgress(dump, call), { clock, replace }))
  } finally {
    await dump.close()
  }
}

/** True for two names of one file, by links or by mounts. */
async function isSameFile(one: StoreLocation, other: StoreLocation): Promise<boolean> {
  if (one.kind !== 'sqlite' || other.kind !== 'sqlite') return false
  const [from, to] = await Promise.all(
    [one, other].map(({ file }) => stat(file).catch(() => undefined)),
  )
  return from !== undefined && from.ino === to?.ino && from.dev === to.dev
}

function report({ name, values, terminal }: Call, to: string, loaded: LoadedStore): number {
  const { state, objects, former } = loaded
  if (values.output === 'json') {
    const { id, revision, compacted } = state
    terminal.print(JSON.stringify({ store: to, cluster: id, objects, revision, compacted, former }))
    return 0
  }
  terminal.print(
    `${to}: ${countText(objects, 'object')}, goes on at revision ${numberText(state.revision)}`,
  )
  if (former !== undefined) terminal.print(`what was there before is kept as ${former}`)
  if (name === 'restore') terminal.print('clients list anew: history begins with this revision')
  return 0
}
