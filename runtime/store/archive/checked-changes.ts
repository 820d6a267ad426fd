import type { StoreDump } from '../dump.ts'
import type { Change } from '../log-store.ts'
import { LogLaws } from './log-laws.ts'

/** The changes of a dump. @throws Error at the first one that breaks a law of the log. */
export async function* checkedChanges(dump: StoreDump): AsyncGenerator<readonly Change[], void> {
  const laws = new LogLaws(dump.state)
  for await (const changes of dump.changes) {
    for (const change of changes) check(laws.next(change))
    yield changes
  }
  check(laws.end())
}

function check([first]: ReturnType<LogLaws['next']>): void {
  if (first === undefined) return
  throw new Error(`what is read is no sound store: ${first.text}; orch store doctor says more`)
}
