import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import { type Clock, pause } from '../../kernel/async/clock.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import type { Log } from '../../observe/observe.ts'
import type { ReadManifest } from './static-pod.ts'

/** What is read again and again. */
export interface ManifestSource {
  readonly read: () => Promise<ReadManifest>
  readonly everyMs: number
  readonly clock: Clock
  readonly log: Log
}

/** Reads manifests until `signal` aborts, and tells their pods when they change. What is wrong is logged once; a source of which not all can be read keeps the pods that it had, and is not told as whole. `tried` is called after each try. */
export async function followManifests(
  { read, everyMs, clock, log }: ManifestSource,
  tell: (pods: readonly Stored<Pod>[], isWhole: boolean) => void,
  tried: () => void,
  signal: AbortSignal,
): Promise<void> {
  let known = new Map<string, Stored<Pod>>()
  let isFirst = true
  let said = new Set<string>()
  while (!signal.aborted) {
    const { pods, problems, isUnknown } = await read()
    for (const problem of problems) if (!said.has(problem)) log.error(problem)
    said = new Set(problems)
    tried()
    const found = pods.map((pod) => [pod.metadata.uid, known.get(pod.metadata.uid) ?? pod] as const)
    const next = new Map(isUnknown ? [...known, ...found] : found)
    const isSame = next.size === known.size && [...next.keys()].every((uid) => known.has(uid))
    known = next
    if (!isSame || (isFirst && !isUnknown)) tell([...next.values()], !isUnknown)
    isFirst &&= isUnknown === true
    await pause(clock, everyMs, signal)
  }
}
