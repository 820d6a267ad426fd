import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import { isSharedStore, openStore } from '../../../runtime/store/store.ts'
import { type Call, namedStore, revisionFlag } from './call.ts'
import { bytesText, numberText } from './text.ts'

const clock = systemClock

/** `compact`: forgets history, and gives the space back. */
export async function runCompact({ subject, values, terminal }: Call): Promise<number> {
  const { location, keeper, text } = await namedStore(subject)
  const wanted =
    values.revision === undefined ? undefined : revisionFlag('revision', values.revision)
  const before = sum(await keeper.sizes({ clock }))
  // Fails where there is no store: opening would make one.
  const dump = await keeper.dump({ clock, alone: !isSharedStore(location) })
  await dump.close()
  const store = await openStore(location, { clock })
  let compacted: number
  try {
    await store.compact(wanted ?? (await store.revision()))
    compacted = store.compactedRevision()
  } finally {
    await store.close()
  }
  await keeper.vacuum({ clock })
  const after = sum(await keeper.sizes({ clock }))
  if (values.output === 'json') {
    terminal.print(JSON.stringify({ store: text, compacted, bytesBefore: before, bytes: after }))
  } else {
    terminal.print(
      `history begins at revision ${numberText(compacted)}; ${bytesText(before)} before, ${bytesText(after)} now`,
    )
  }
  return 0
}

function sum(sizes: Readonly<Record<string, number>>): number {
  return Object.values(sizes).reduce((all, one) => all + one, 0)
}
