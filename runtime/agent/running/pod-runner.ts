import { mkdirSync } from 'node:fs'
import type { Pod, PodStatus } from '../../../generated/apis/core/v1/pod.ts'
import { errorText } from '../../kernel/errors/error-text.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { hasEnded, specOf } from '../../pods/pods.ts'
import { missesClusterDns } from '../containers/dns.ts'
import type { WaitingReason } from '../decision/container-statuses.ts'
import { afterMountFailure } from '../decision/mount-backoff.ts'
import { type PodPlan, planPod } from '../decision/pod-plan.ts'
import { Prober } from '../probes/prober.ts'
import { makeVolumes, type VolumePaths } from '../volumes/pod-volumes.ts'
import type { AgentFacts } from './agent-facts.ts'
import { ContainerStarts, retryMs } from './container-starts.ts'
import { PodEnd } from './pod-end.ts'
import { type Observed, observePod, runningOf } from './pod-observation.ts'
import { reportOf } from './pod-report.ts'
import { RunningPod } from './running-pod.ts'
import { sandboxConfig } from './sandbox-config.ts'

/** Why a pod is sent away. */
export interface SendAway extends WaitingReason {
  /** Seconds that it has to end; its own where nothing is said. */
  readonly graceSeconds?: number
}

/** Rounds of doing and looking before others have their turn. */
const mostRounds = 100
/** Seconds that containers have whose sandbox has gone. */
const lostGrace = 2

/** Runs one pod: compares what it asks for with what runs, does what is missing, and tells what came of it. */
export class PodRunner {
  /** True when its source does not have it any more. */
  isGone = false
  readonly #of: RunningPod
  readonly #prober: Prober
  readonly #starts: ContainerStarts
  readonly #end: PodEnd
  #told: PodStatus | undefined
  #sentAway: SendAway | undefined
  #isAdmitted = false
  #tellsAgain = false
  /** Since when volumes cannot be made, and how long they wait for the next try. */
  #unmounted: { readonly at: number; readonly waitMs: number } | undefined

  constructor(pod: Stored<Pod>, facts: AgentFacts, wake: () => void) {
    this.#of = new RunningPod(pod, facts)
    this.#end = new PodEnd(this.#of, () => this.#sentAway?.graceSeconds)
    this.#starts = new ContainerStarts(this.#of, (id, name, why) => this.#end.stop(id, name, why))
    this.#prober = new Prober({
      clock: facts.clock,
      changed: wake,
      unhealthy: ({ name }, kind, how, message) =>
        this.#of.tell('Warning', 'Unhealthy', `${capital(kind)} probe ${how}: ${message || name}`),
    })
  }

  get pod(): Stored<Pod> {
    return this.#of.pod
  }

  set pod(pod: Stored<Pod>) {
    this.#of.pod = pod
  }

  /** The status as it was told last. */
  get status(): PodStatus | undefined {
    return this.#told ?? this.pod.status
  }

  get probeRounds(): ReturnType<Prober['rounds']> {
    return this.#prober.rounds()
  }

  /** What is told of it elsewhere may have gone: it is told again. */
  tellAgain(): void {
    this.#tellsAgain = true
  }

  /** The pod ends as failed, for that reason. The first one counts. */
  sendAway(why: SendAway): void {
    if (this.#sentAway !== undefined) return
    this.#sentAway = why
    this.#of.tell('Warning', why.reason, why.message)
  }

  /** The end of one round: milliseconds until the next, if nothing wakes the pod before; `done` when nothing of it is left. */
  async sync(): Promise<number | 'done'> {
    let observed = await this.#observe()
    this.#checkDeadline()
    this.#admit(observed)
    let retry = Number.POSITIVE_INFINITY
    if (this.isGone) {
      await this.#end.end(observed)
      await this.#cleanUp(await this.#observe())
      await this.#of.facts.sink.forget(this.pod)
      return 'done'
    }
    let plan = this.#plan(observed)
    let telling: Promise<unknown> = Promise.resolve()
    for (let round = 0; plan.actions.length > 0 && round < mostRounds; round++) {
      const before = plan.actions
      // What is told of one round is on its way while the next one goes on.
      ;[retry] = await Promise.all([this.#carryOut(plan, observed), telling])
      observed = await this.#observe()
      plan = this.#plan(observed)
      if (retry < Number.POSITIVE_INFINITY || deepEqual(before, plan.actions)) break
      telling = this.#tellStatus(observed, plan)
      telling.catch(() => {})
    }
    await telling
    this.#probe(observed)
    const isTold = await this.#tellStatus(observed, plan)
    if (!isTold) return 100
    if (this.#of.goes && runningOf(observed).length === 0) {
      await this.#cleanUp(observed)
      await this.#of.facts.sink.remove(this.pod)
      return 'done'
    }
    return Math.min(retry, ...plan.waiting.values(), this.#deadlineMs())
  }

  /** Brings volumes of a pod that runs up to date with what they are made of. */
  async refresh(): Promise<void> {
    if (!this.#of.goes && !hasEnded(this.pod)) await this.#makeVolumes()
  }

  /** Ends the probes; containers go on. */
  stop(): void {
    this.#prober.keep(new Set())
  }

  #observe(): Promise<Observed> {
    return observePod(this.#of.facts.runtime, this.pod.metadata.uid)
  }

  #plan(observed: Observed): PodPlan {
    const byId = new Map(observed.all.map((each) => [each.id, each.config.name]))
    return planPod({
      ...{ pod: this.pod, evicted: this.#sentAway !== undefined },
      ...{ sandbox: observed.sandboxes[0], containers: observed.newest },
      hasStarted: (id) => this.#prober.hasStarted(id, this.#of.container(byId.get(id) ?? '')),
      failedProbe: (id) => this.#prober.failed(id),
      backoff: (name) => this.#starts.backoffs.get(name),
      now: this.#of.facts.clock.now(),
    })
  }

  /** Milliseconds after which what failed is tried again. */
  async #carryOut({ actions }: PodPlan, observed: Observed): Promise<number> {
    let retry = Number.POSITIVE_INFINITY
    let volumes: VolumePaths | undefined
    for (const action of actions) {
      if (action.do === 'end') await this.#end.end(observed)
      else if (action.do === 'stop') await this.#end.stop(action.id, action.name, action.why)
      else {
        volumes ??= await this.#makeVolumes()
        if (volumes === undefined) return this.#mountWaitMs()
        if (action.do === 'make sandbox') {
          if (!(await this.#makeSandbox(action.attempt, observed))) return retryMs
        } else retry = Math.min(retry, await this.#starts.start(action, observed, volumes))
      }
    }
    return retry
  }

  async #makeSandbox(attempt: number, observed: Observed): Promise<boolean> {
    const { runtime, groups, handlerOf, dns } = this.#of.facts
    const running = runningOf(observed)
    await Promise.all(running.map(({ id }) => runtime.stopContainer(id, lostGrace)))
    try {
      for (const { id } of observed.sandboxes.slice(1)) await runtime.removePodSandbox(id)
      const { runtimeClassName = '' } = specOf(this.pod)
      const handler = runtimeClassName === '' ? '' : await handlerOf(runtimeClassName)
      if (missesClusterDns(this.pod, dns)) this.#tellNoDns()
      groups?.make(this.pod)
      await runtime.runPodSandbox(sandboxConfig(this.pod, attempt, handler, this.#of.facts))
      return true
    } catch (error) {
      const why = `Failed to create pod sandbox: ${errorText(error)}`
      this.#of.tell('Warning', 'FailedCreatePodSandBox', why)
      return false
    }
  }

  #tellNoDns(): void {
    const { name, namespace, uid } = this.pod.metadata
    const missing = `${this.#of.facts.platform.agent} does not have ClusterDNS IP configured`
    const instead =
      'cannot create Pod using "ClusterFirst" policy. Falling back to "Default" policy.'
    const message = `pod: "${name}_${namespace}(${uid})". ${missing} and ${instead}`
    this.#of.tell('Warning', 'MissingClusterDNS', message)
  }

  async #makeVolumes(): Promise<VolumePaths | undefined> {
    if (this.#mountWaitMs() > 0) return undefined
    const { pod, folder, facts } = this.#of
    const { objects, tokens, claims, address: hostIP, allocatable, clock } = facts
    try {
      mkdirSync(folder, { recursive: true, mode: 0o750 })
      const made = await makeVolumes({
        ...{ pod, folder, objects, tokens, claims, hostIP, allocatable },
      })
      this.#unmounted = undefined
      return made
    } catch (error) {
      const waitMs = afterMountFailure(this.#unmounted?.waitMs)
      this.#unmounted = { at: clock.monotonic(), waitMs }
      this.#of.tell('Warning', 'FailedMount', errorText(error))
      return undefined
    }
  }

  /** Milliseconds until volumes that could not be made are tried again. */
  #mountWaitMs(): number {
    if (this.#unmounted === undefined) return 0
    const { at, waitMs } = this.#unmounted
    return Math.max(0, at + waitMs - this.#of.facts.clock.monotonic())
  }

  async #cleanUp(observed: Observed): Promise<void> {
    this.stop()
    await this.#end.cleanUp(observed)
  }

  #probe(observed: Observed): void {
    const running = runningOf(observed)
    this.#prober.keep(new Set(running.map(({ id }) => id)))
    if (this.#of.goes) return
    for (const { id, config } of running) {
      const container = this.#of.container(config.name)
      if (container) this.#prober.start(this.#of.probed(id, container))
    }
  }

  /** A pod for which there is no place here fails before anything of it is made. */
  #admit({ sandboxes }: Observed): void {
    if (this.#isAdmitted || this.isGone || this.#of.goes || hasEnded(this.pod)) return
    this.#isAdmitted = true
    if (sandboxes.length > 0) return
    const refused = this.#of.facts.refusal(this.pod)
    if (refused === undefined) return
    this.sendAway(refused)
  }

  /** A pod that may be active for a time only ends when that is over. */
  #checkDeadline(): void {
    if (this.#deadlineMs() > 0) return
    const message = 'Pod was active on the node longer than the specified deadline'
    this.sendAway({ reason: 'DeadlineExceeded', message })
  }

  /** Milliseconds until it has to end; infinite where it does not, or is about to. */
  #deadlineMs(): number {
    if (this.#sentAway || hasEnded(this.pod)) return Number.POSITIVE_INFINITY
    const { activeDeadlineSeconds } = specOf(this.pod)
    const { startTime } = this.status ?? {}
    if (activeDeadlineSeconds === undefined || !startTime) return Number.POSITIVE_INFINITY
    const end = Date.parse(startTime) + Number(activeDeadlineSeconds) * 1000
    return end - this.#of.facts.clock.now()
  }

  /** Tells the status if it has changed. False if the pod has meanwhile. */
  async #tellStatus(observed: Observed, plan: PodPlan): Promise<boolean> {
    const { backoffs, problems } = this.#starts
    const status = reportOf(this.#of, {
      ...{ observed, problems, prober: this.#prober, startTime: this.#told?.startTime },
      sentAway: this.#sentAway && {
        reason: this.#sentAway.reason,
        message: this.#sentAway.message,
      },
      backoffs: new Map(
        [...plan.waiting.keys()].map((name) => [name, backoffs.get(name)?.waitMs ?? 0]),
      ),
    })
    this.#of.podIP = status.podIP
    if (!this.#tellsAgain && deepEqual(status, this.pod.status)) {
      this.#told = status
      return true
    }
    const sent = this.pod
    const stored = await this.#of.facts.sink.tellStatus(sent, status)
    if (stored === undefined) return false
    this.#tellsAgain = false
    this.#told = status
    // What came from the source meanwhile is newer, or comes again.
    if (this.pod === sent) this.pod = stored
    return true
  }
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
