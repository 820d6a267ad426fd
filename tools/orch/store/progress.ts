import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import type { StoreDump } from '../../../runtime/store/store.ts'
import type { Call } from './call.ts'
import { bytesText, countText } from './text.ts'

/** Milliseconds between two lines. */
const lineMs = 2000

/** A dump that says from time to time how much of it was read. */
export function withProgress(dump: StoreDump, { values, terminal, signal }: Call): StoreDump {
  return { ...dump, changes: reported(dump) }

  async function* reported({ changes, state }: StoreDump): StoreDump['changes'] & AsyncGenerator {
    let [rows, bytes, said] = [0, 0, systemClock.now()]
    for await (const batch of changes) {
      signal.throwIfAborted()
      yield batch
      rows += batch.length
      for (const { value } of batch) bytes += value?.byteLength ?? 0
      if (values.quiet || systemClock.now() - said < lineMs) continue
      said = systemClock.now()
      const share = Math.floor((100 * (batch.at(-1)?.revision ?? 0)) / Math.max(state.revision, 1))
      terminal.printError(
        `${countText(rows, 'row')}, ${bytesText(bytes)}, ${share} % of the revisions`,
      )
    }
  }
}
