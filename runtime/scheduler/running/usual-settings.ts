import { parseDuration } from '../../kernel/values/duration.ts'

/** What the flags of the daemon say where they are not given. */
export interface UsualSettings {
  readonly names: readonly string[]
  readonly percentageOfNodes: number
  /** `LABEL=SKEW`; see `spreadConstraints`. */
  readonly spread: readonly string[]
  readonly backoffMs: number
  readonly mostBackoffMs: number
  readonly flushMs: number
}

/** The defaults of `schemas/flags/orch-scheduler.yaml`. */
export async function usualSettings(): Promise<UsualSettings> {
  const { options: table } = await import('../../../generated/options/orch-scheduler.ts')
  const all = table.sections.flatMap(({ options }) => options)
  const usual = (name: string): unknown => all.find(({ flag }) => flag === name)?.default
  const texts = (name: string) => (usual(name) ?? []) as readonly string[]
  const ms = (name: string) => parseDuration(String(usual(name))) ?? 0
  return {
    names: texts('scheduler-name'),
    percentageOfNodes: Number(usual('percentage-of-nodes-to-score')),
    spread: texts('default-spread'),
    backoffMs: ms('pod-initial-backoff'),
    mostBackoffMs: ms('pod-max-backoff'),
    flushMs: ms('pod-max-in-unschedulable-pods-duration'),
  }
}
