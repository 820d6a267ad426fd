import { type Profiler, Session } from 'node:inspector'

/** How many functions of the runtime some work calls: a measure of work that is the same on every machine. */
export function countCalls(work: () => void): number {
  const session = new Session()
  session.connect()
  let calls = 0
  const count = (_: unknown, taken?: Profiler.TakePreciseCoverageReturnType): void => {
    for (const { url, functions } of taken?.result ?? []) {
      if (!url.includes('/runtime/')) continue
      for (const { ranges } of functions) calls += ranges[0]?.count ?? 0
    }
  }
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  work()
  session.post('Profiler.takePreciseCoverage', count)
  session.disconnect()
  return calls
}
