import type { Key } from '../../client/client.ts'
import { pause } from '../../kernel/async/clock.ts'
import type { Log } from '../../observe/observe.ts'
import type { EventSource, EventSourceContext } from '../controller/event-source.ts'
import { backoffMs } from '../queue/backoff.ts'

/** What sources are run with. */
export interface SourceRun extends EventSourceContext {
  readonly controller: string
  readonly log: Log
  /** Hears of the keys that an event wakes. */
  readonly wake: (keys: readonly Key[]) => void
}

/** Runs the sources of a controller until `signal` aborts. One that fails is begun again, later each time. */
export async function runSources(sources: readonly EventSource[], run: SourceRun): Promise<void> {
  await Promise.all(sources.map((source) => runSource(source, run)))
}

async function runSource(source: EventSource, run: SourceRun): Promise<void> {
  const { clock, signal, log, controller, wake } = run
  for (let failures = 1; !signal.aborted; failures++) {
    try {
      for await (const keys of source(run)) {
        if (signal.aborted) return
        wake(keys)
        failures = 0
      }
      return
    } catch (error) {
      if (signal.aborted) return
      log.error('source of events failed: it is begun again', { controller, failures }, error)
      await pause(clock, backoffMs(Math.max(1, failures), { baseMs: 200, maxMs: 30_000 }), signal)
    }
  }
}
