/** What pods ask of simulated nodes, in annotations `simulation.<domain>/...`. */
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { parseDuration } from '../../kernel/values/duration.ts'

/** How the containers of a pod behave. What is absent is as by default. */
export interface PodBehaviour {
  /** Milliseconds that containers run before they exit. Default: those of jobs for a second, others for ever. */
  readonly durationMs?: number
  /** What containers exit with. Where it is not 0 and no duration is named, they do so at once. */
  readonly exitCode?: number
  /** What init containers exit with. Default 0. */
  readonly initExitCode?: number
  /** False: its containers run, and are never ready. */
  readonly ready?: boolean
}

/** The names of the annotations, behind `simulation.<domain>/`. */
const names = ['duration', 'exit-code', 'init-exit-code', 'ready'] as const

/** What the annotations of a pod say, and what is wrong with those that say nothing that is understood. */
export function readBehaviour(
  { metadata: { annotations = {} } }: Pick<Stored<Pod>, 'metadata'>,
  domain: string,
): { readonly behaviour: PodBehaviour; readonly problems: readonly string[] } {
  const behaviour: { -readonly [Field in keyof PodBehaviour]: PodBehaviour[Field] } = {}
  const problems: string[] = []
  const prefix = `simulation.${domain}/`
  for (const key of Object.keys(annotations)) {
    if (!key.startsWith(prefix)) continue
    const problem = readOne(behaviour, key.slice(prefix.length), annotations[key] ?? '')
    if (problem !== undefined) problems.push(`${key}: ${problem}`)
  }
  return { behaviour, problems }
}

function readOne(
  behaviour: { -readonly [Field in keyof PodBehaviour]: PodBehaviour[Field] },
  name: string,
  text: string,
): string | undefined {
  switch (name) {
    case 'duration': {
      const ms = parseDuration(text)
      if (ms === undefined || ms < 0) return 'must be a duration, such as 10s or 1m30s'
      behaviour.durationMs = ms
      return undefined
    }
    case 'exit-code':
    case 'init-exit-code':
      if (!/^[0-9]{1,3}$/.test(text) || Number(text) > 255) return 'must be a number from 0 to 255'
      behaviour[name === 'exit-code' ? 'exitCode' : 'initExitCode'] = Number(text)
      return undefined
    case 'ready':
      if (text !== 'true' && text !== 'false') return 'must be true or false'
      behaviour.ready = text === 'true'
      return undefined
    default:
      return `is not known: there are ${names.join(', ')}`
  }
}

/** Milliseconds after which the containers of a pod exit; undefined if they run for ever. */
export function runsFor(
  { metadata: { ownerReferences = [] } }: Pick<Stored<Pod>, 'metadata'>,
  { durationMs, exitCode }: PodBehaviour,
): number | undefined {
  if (durationMs !== undefined) return durationMs
  const isOfJob = ownerReferences.some(({ kind, controller }) => kind === 'Job' && controller)
  if (isOfJob) return 1000
  return exitCode === undefined ? undefined : 0
}
