import type { Container, Probe } from '../../../generated/apis/core/v1/container.ts'
import type { Clock } from '../../kernel/async/clock.ts'
import { afterRound, type ProbeState } from './probe-state.ts'
import { type Probed, type ProbeRound, runProbe } from './run-probe.ts'

type ProbeKind = 'startup' | 'liveness' | 'readiness'

/** How often the probe of a container passed, failed, and could not be carried out. */
export interface ProbeRounds {
  readonly container: string
  readonly kind: ProbeKind
  passed: number
  failed: number
  /** Those that could not be carried out. */
  unknown: number
}

/** What a prober is told, and tells. */
export interface ProberOptions {
  readonly clock: Clock
  /** A probe came to something else than before. */
  changed(): void
  /** A probe failed, or could not be carried out, which counts for nothing. */
  unhealthy(container: Container, kind: ProbeKind, how: 'failed' | 'errored', message: string): void
}

interface Running {
  readonly states: Map<ProbeKind, ProbeState>
  readonly stop: () => void
}

const kinds = ['startup', 'liveness', 'readiness'] as const
/** What holds before a probe has come to something. */
const begin = { startup: false, liveness: true, readiness: false }
const mostTries = 3
const msOf = (seconds: number) => seconds * 1000

/** The probes of the containers of a pod. */
export class Prober {
  readonly #options: ProberOptions
  readonly #running = new Map<string, Running>()
  readonly #rounds = new Map<string, ProbeRounds>()

  constructor(options: ProberOptions) {
    this.#options = options
  }

  /** What the probes came to so far, of containers that were started again, too. */
  rounds(): readonly ProbeRounds[] {
    return [...this.#rounds.values()]
  }

  isReady(id: string, container: Container): boolean {
    if (container.readinessProbe === undefined) return true
    return this.#running.get(id)?.states.get('readiness')?.passes === true
  }

  hasStarted(id: string, container: Container | undefined): boolean {
    if (container?.startupProbe === undefined) return true
    return this.#running.get(id)?.states.get('startup')?.passes === true
  }

  failed(id: string): 'liveness' | 'startup' | undefined {
    const states = this.#running.get(id)?.states
    const startup = states?.get('startup')
    if (startup?.passes === false && startup.last === false && startup.inRow < 0) return 'startup'
    return states?.get('liveness')?.passes === false ? 'liveness' : undefined
  }

  /** Begins the probes of a container that runs, unless they run. */
  start(probed: Probed): void {
    const { id, container } = probed
    const probes = kinds.filter((kind) => container[`${kind}Probe`] !== undefined)
    if (this.#running.has(id) || probes.length === 0) return
    const states = new Map<ProbeKind, ProbeState>(
      probes.map((kind) => [kind, { passes: begin[kind], inRow: 0, last: undefined }]),
    )
    const cancels = new Map<ProbeKind, () => void>()
    let stopped = false
    const stop = () => {
      stopped = true
      for (const cancel of cancels.values()) cancel()
    }
    this.#running.set(id, { states, stop })
    for (const kind of probes) {
      const probe = container[`${kind}Probe`] as Probe
      const { initialDelaySeconds = 0, periodSeconds = 10, timeoutSeconds = 1 } = probe
      const wait = (ms: number) => cancels.set(kind, this.#options.clock.after(ms, round))
      const round = async () => {
        if (stopped) return
        if (kind === 'startup' ? states.get('startup')?.passes : !this.hasStarted(id, container)) {
          if (kind !== 'startup') wait(msOf(periodSeconds) / 10)
          return
        }
        const { passed, message, isUnknown } = await tried(probe, timeoutSeconds, probed)
        if (stopped) return
        this.#count(container.name, kind, isUnknown ? 'unknown' : passed ? 'passed' : 'failed')
        if (isUnknown) {
          this.#options.unhealthy(container, kind, 'errored', message)
          wait(msOf(periodSeconds))
          return
        }
        const before = states.get(kind) as ProbeState
        const after = afterRound(before, passed, probe)
        const isSpent =
          kind === 'startup' && !passed && after.inRow >= (probe.failureThreshold ?? 3)
        states.set(kind, isSpent ? { ...after, inRow: -1 } : after)
        if (!passed) this.#options.unhealthy(container, kind, 'failed', message)
        const holds = isSpent || (kind === 'liveness' && !after.passes)
        if (before.passes !== after.passes || isSpent) this.#options.changed()
        if (!holds) wait(msOf(periodSeconds))
      }
      wait(msOf(initialDelaySeconds))
    }
  }

  #count(container: string, kind: ProbeKind, found: 'passed' | 'failed' | 'unknown'): void {
    const key = `${container}/${kind}`
    const rounds = this.#rounds.get(key) ?? { container, kind, passed: 0, failed: 0, unknown: 0 }
    rounds[found] += 1
    this.#rounds.set(key, rounds)
  }

  /** Ends the probes of containers that do not run. */
  keep(ids: ReadonlySet<string>): void {
    for (const [id, { stop }] of this.#running) {
      if (ids.has(id)) continue
      stop()
      this.#running.delete(id)
    }
  }
}

/** What cannot be found out is tried again at once, three times in all. */
async function tried(...round: Parameters<typeof runProbe>): Promise<ProbeRound> {
  let found = await runProbe(...round)
  for (let again = 1; found.isUnknown && again < mostTries; again++) found = await runProbe(...round)
  return found
}
