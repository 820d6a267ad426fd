import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Container } from '../../../generated/apis/core/v1/container.ts'
import type { Pod, PodStatus } from '../../../generated/apis/core/v1/pod.ts'
import type {
  ContainerStatus,
  PodSandboxStatus,
} from '../../container-runtime/container-runtime.ts'
import { pause, timestamp } from '../../kernel/async/clock.ts'
import { errorText } from '../../kernel/errors/error-text.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { containersOf, hasEnded, isSidecarOf, specOf, statusWith } from '../../pods/pods.ts'
import { containerStatuses, type WaitingReason } from '../decision/container-statuses.ts'
import { type PodAction, type PodPlan, planPod } from '../decision/pod-plan.ts'
import { afterRestart, type RestartBackoff, restartWaitMs } from '../decision/restart-backoff.ts'
import { Prober } from '../probes/prober.ts'
import { runProbe } from '../probes/run-probe.ts'
import { makeVolumes, removeVolumes, type VolumePaths } from '../volumes/pod-volumes.ts'
import type { AgentFacts } from './agent-facts.ts'
import {
  ensureImage,
  hostnameOf,
  messageFile,
  StartProblem,
  startContainer,
} from './start-container.ts'

/** Seconds that a pod has to end which says nothing of it. */
const usualGrace = 30
const mostMessage = 4096
/** A pod whose volumes or sandbox cannot be made is tried again after so many milliseconds. */
const retryMs = 2_000
const maxDelayMs = 300_000

/** What the runtime says of a pod. */
interface Observed {
  readonly sandboxes: readonly PodSandboxStatus[]
  /** The newest of each name first. */
  readonly all: readonly ContainerStatus[]
  readonly newest: ReadonlyMap<string, ContainerStatus>
  readonly former: ReadonlyMap<string, ContainerStatus>
}

/** Runs one pod: compares what it asks for with what runs, does what is missing, and tells what came of it. */
export class PodRunner {
  pod: Stored<Pod>
  /** True when its source does not have it any more. */
  isGone = false
  readonly #facts: AgentFacts
  readonly #folder: string
  readonly #prober: Prober
  readonly #problems = new Map<string, WaitingReason>()
  readonly #pulls = new Map<string, RestartBackoff>()
  readonly #backoffs = new Map<string, RestartBackoff>()
  #told: PodStatus | undefined
  #eviction: WaitingReason | undefined

  constructor(pod: Stored<Pod>, facts: AgentFacts, wake: () => void) {
    this.pod = pod
    this.#facts = facts
    this.#folder = join(facts.rootFolder, 'pods', pod.metadata.uid)
    this.#prober = new Prober({
      clock: facts.clock,
      changed: wake,
      unhealthy: (container, kind, message) =>
        this.#tell(
          'Warning',
          'Unhealthy',
          `${capital(kind)} probe failed: ${message || container.name}`,
        ),
    })
  }

  /** The status as it was told last. */
  get status(): PodStatus | undefined {
    return this.#told ?? this.pod.status
  }

  /** The end of one round: milliseconds until the next, if nothing wakes the pod before; `done` when nothing of it is left. */
  async sync(): Promise<number | 'done'> {
    const { clock } = this.#facts
    let observed = await this.#observe()
    this.#checkDeadline()
    let retry = Number.POSITIVE_INFINITY
    if (this.isGone) {
      await this.#end(observed)
      await this.#cleanUp(await this.#observe())
      return 'done'
    }
    let plan = this.#plan(observed)
    for (let round = 0; plan.actions.length > 0 && round < 100; round++) {
      const before = plan.actions
      retry = await this.#carryOut(plan, observed)
      observed = await this.#observe()
      plan = this.#plan(observed)
      if (retry < Number.POSITIVE_INFINITY || deepEqual(before, plan.actions)) break
      await this.#tellStatus(observed, plan)
    }
    this.#probe(observed)
    const isTold = await this.#tellStatus(observed, plan)
    if (!isTold) return 100
    const runs = [...observed.newest.values()].some(({ state }) => state === 'running')
    if (this.pod.metadata.deletionTimestamp !== undefined && !runs) {
      await this.#cleanUp(observed)
      await this.#facts.sink.remove(this.pod)
      return 'done'
    }
    return Math.min(retry, ...plan.waiting.values(), this.#deadlineMs(clock.now()))
  }

  /** Ends the probes; containers go on. */
  stop(): void {
    this.#prober.keep(new Set())
  }

  #plan(observed: Observed): PodPlan {
    const byId = new Map(observed.all.map((each) => [each.id, each.config.name]))
    return planPod({
      ...{ pod: this.pod, evicted: this.#eviction !== undefined },
      ...{ sandbox: observed.sandboxes[0], containers: observed.newest },
      hasStarted: (id) => this.#prober.hasStarted(id, this.#container(byId.get(id) ?? '')),
      failedProbe: (id) => this.#prober.failed(id),
      backoff: (name) => this.#backoffs.get(name),
      now: this.#facts.clock.now(),
    })
  }

  async #observe(): Promise<Observed> {
    const { runtime } = this.#facts
    const { uid } = this.pod.metadata
    const sandboxes = (await runtime.listPodSandboxes())
      .filter(({ config }) => config.uid === uid)
      .sort((a, b) => b.config.attempt - a.config.attempt)
    const ids = new Set(sandboxes.map(({ id }) => id))
    const all = (await runtime.listContainers())
      .filter(({ sandboxId }) => ids.has(sandboxId))
      .sort((a, b) => b.config.attempt - a.config.attempt)
    const newest = new Map<string, ContainerStatus>()
    const former = new Map<string, ContainerStatus>()
    for (const each of all) {
      const { name } = each.config
      if (!newest.has(name)) newest.set(name, each)
      else if (!former.has(name)) former.set(name, each)
    }
    return { sandboxes, all, newest, former }
  }

  /** Milliseconds after which what failed is tried again. */
  async #carryOut({ actions }: PodPlan, observed: Observed): Promise<number> {
    let retry = Number.POSITIVE_INFINITY
    let volumes: VolumePaths | undefined
    for (const action of actions) {
      if (action.do === 'end') await this.#end(observed)
      else if (action.do === 'stop') await this.#stop(action.id, action.name, action.why)
      else if (action.do === 'make sandbox') {
        if (!(await this.#makeSandbox(action.attempt, observed))) return retryMs
      } else {
        volumes ??= await this.#makeVolumes()
        if (volumes === undefined) return retryMs
        const ms = await this.#start(action, observed, volumes)
        retry = Math.min(retry, ms)
      }
    }
    return retry
  }

  async #makeSandbox(attempt: number, { sandboxes, newest }: Observed): Promise<boolean> {
    const { runtime, logFolder } = this.#facts
    const { name, namespace, uid, annotations = {}, labels = {} } = this.pod.metadata
    const running = [...newest.values()].filter(({ state }) => state === 'running')
    await Promise.all(running.map(({ id }) => runtime.stopContainer(id, 2)))
    try {
      for (const { id } of sandboxes.slice(1)) await runtime.removePodSandbox(id)
      await runtime.runPodSandbox({
        ...{ name, namespace, uid, attempt, labels, annotations, hostname: hostnameOf(this.pod) },
        logDirectory: join(logFolder, `${namespace}_${name}_${uid}`),
        hostNetwork: specOf(this.pod).hostNetwork === true,
      })
      return true
    } catch (error) {
      const why = `Failed to create pod sandbox: ${errorText(error)}`
      this.#tell('Warning', 'FailedCreatePodSandBox', why)
      return false
    }
  }

  async #makeVolumes(): Promise<VolumePaths | undefined> {
    const { objects, tokens, address, allocatable } = this.#facts
    mkdirSync(this.#folder, { recursive: true, mode: 0o750 })
    try {
      return await makeVolumes({
        ...{ pod: this.pod, folder: this.#folder, objects, tokens, hostIP: address, allocatable },
      })
    } catch (error) {
      this.#tell('Warning', 'FailedMount', `MountVolume.SetUp failed: ${errorText(error)}`)
      return undefined
    }
  }

  /** Brings volumes of a pod that runs up to date with what they are made of. */
  async refresh(): Promise<void> {
    const { deletionTimestamp } = this.pod.metadata
    if (deletionTimestamp === undefined && !hasEnded(this.pod)) await this.#makeVolumes()
  }

  /** Milliseconds until it is tried again; infinite if the container runs. */
  async #start(
    { container, attempt }: Extract<PodAction, { do: 'start' }>,
    { sandboxes, all }: Observed,
    volumes: VolumePaths,
  ): Promise<number> {
    const { clock, runtime } = this.#facts
    const { name, image = '' } = container
    const [sandbox] = sandboxes
    if (sandbox === undefined) return retryMs
    const pull = this.#pulls.get(name)
    const waitMs = restartWaitMs(pull, pull?.at ?? 0, clock.now())
    if (waitMs > 0) {
      this.#backOffPull(name, image)
      return waitMs
    }
    const former = all.find(({ config }) => config.name === name)
    try {
      await ensureImage(this.pod, container, this.#facts)
      this.#pulls.delete(name)
      const start = { pod: this.pod, container, attempt, sandbox, folder: this.#folder, volumes }
      if (former !== undefined) {
        this.#backoffs.set(name, afterRestart(this.#backoffs.get(name), clock.now()))
      }
      const id = await startContainer(start, this.#facts)
      this.#problems.delete(name)
      for (const each of all) {
        if (each.config.name === name && each.id !== former?.id)
          await runtime.removeContainer(each.id)
      }
      await this.#afterStart(id, container)
      return Number.POSITIVE_INFINITY
    } catch (error) {
      if (!(error instanceof StartProblem)) throw error
      return this.#failed(error, name, image)
    }
  }

  #failed({ reason, message }: StartProblem, name: string, image: string): number {
    const { clock } = this.#facts
    this.#tell(
      'Warning',
      'Failed',
      reason === 'ErrImagePull'
        ? `Failed to pull image ${JSON.stringify(image)}: ${message}`
        : `Error: ${message}`,
    )
    if (reason === 'RunContainerError') return Number.POSITIVE_INFINITY
    if (reason !== 'ErrImagePull') {
      this.#problems.set(name, { reason, message })
      return Math.min(5 * retryMs, maxDelayMs)
    }
    this.#problems.set(name, { reason, message })
    this.#pulls.set(name, afterRestart(this.#pulls.get(name), clock.now()))
    return retryMs
  }

  #backOffPull(name: string, image: string): void {
    if (this.#problems.get(name)?.reason === 'ImagePullBackOff') return
    const message = `Back-off pulling image ${JSON.stringify(image)}`
    this.#problems.set(name, { reason: 'ImagePullBackOff', message })
    this.#tell('Normal', 'BackOff', message)
  }

  async #afterStart(id: string, container: Container): Promise<void> {
    const hook = container.lifecycle?.postStart
    if (hook === undefined) return
    const { passed, message } = await runProbe(hook, maxDelayMs / 1000, this.#probed(id, container))
    if (passed) return
    this.#tell('Warning', 'FailedPostStartHook', `PostStartHook failed: ${message}`)
    await this.#stop(id, container.name, 'FailedPostStartHook')
  }

  async #stop(id: string, name: string, why: string): Promise<void> {
    this.#tell('Normal', 'Killing', why)
    const container = this.#container(name)
    const grace = this.#grace(container)
    const hook = container?.lifecycle?.preStop
    const began = this.#facts.clock.monotonic()
    if (container && hook) {
      const sleepMs = (hook.sleep?.seconds ?? 0) * 1000
      if (sleepMs > 0) await pause(this.#facts.clock, Math.min(sleepMs, grace * 1000))
      else {
        const round = await runProbe(hook, grace, this.#probed(id, container))
        if (!round.passed)
          this.#tell('Warning', 'FailedPreStopHook', `PreStopHook failed: ${round.message}`)
      }
    }
    const spent = (this.#facts.clock.monotonic() - began) / 1000
    await this.#facts.runtime.stopContainer(id, Math.max(2, grace - spent))
  }

  #grace(container: Container | undefined): number {
    const { deletionGracePeriodSeconds } = this.pod.metadata
    const { terminationGracePeriodSeconds = usualGrace } = specOf(this.pod)
    if (deletionGracePeriodSeconds !== undefined) return Number(deletionGracePeriodSeconds)
    const own = container?.livenessProbe?.terminationGracePeriodSeconds
    return Number(own ?? terminationGracePeriodSeconds)
  }

  /** Ends the containers, those that run beside others last, and the sandbox. */
  async #end({ newest, sandboxes }: Observed): Promise<void> {
    const running = [...newest.values()].filter(({ state }) => state === 'running')
    const isLast = ({ config }: ContainerStatus) => isSidecarOf(this.pod, config.name)
    const stop = ({ id, config }: ContainerStatus) =>
      this.#stop(id, config.name, `Stopping container ${config.name}`)
    await Promise.all(running.filter((each) => !isLast(each)).map(stop))
    for (const each of running.filter(isLast).reverse()) await stop(each)
    for (const { id } of sandboxes) await this.#facts.runtime.stopPodSandbox(id)
  }

  async #cleanUp({ sandboxes }: Observed): Promise<void> {
    this.stop()
    for (const { id } of sandboxes) await this.#facts.runtime.removePodSandbox(id)
    removeVolumes(this.#folder)
    rmSync(this.#folder, { recursive: true, force: true })
    const { name, namespace, uid } = this.pod.metadata
    rmSync(join(this.#facts.logFolder, `${namespace}_${name}_${uid}`), {
      recursive: true,
      force: true,
    })
    this.#facts.tokens?.forget(uid)
  }

  #probe({ newest }: Observed): void {
    const running = [...newest.values()].filter(({ state }) => state === 'running')
    this.#prober.keep(new Set(running.map(({ id }) => id)))
    if (this.pod.metadata.deletionTimestamp !== undefined) return
    for (const { id, config } of running) {
      const container = this.#container(config.name)
      if (container) this.#prober.start(this.#probed(id, container))
    }
  }

  #probed(id: string, container: Container) {
    const { runtime, address, platform } = this.#facts
    const [major, minor] = platform.release.split('.')
    const agent = `${platform.prefix}-probe/${major}.${minor}`
    return { id, container, runtime, address: this.#told?.podIP ?? address, agent }
  }

  #container(name: string): Container | undefined {
    return containersOf(specOf(this.pod)).find((one) => one.name === name)
  }

  /** A pod that may be active for a time only ends when that is over. */
  #checkDeadline(): void {
    if (this.#eviction || hasEnded(this.pod) || this.#deadlineMs(this.#facts.clock.now()) > 0)
      return
    const message = 'Pod was active on the node longer than the specified deadline'
    this.#eviction = { reason: 'DeadlineExceeded', message }
    this.#tell('Normal', 'DeadlineExceeded', message)
  }

  #deadlineMs(now: number): number {
    const { activeDeadlineSeconds } = specOf(this.pod)
    const { startTime } = this.status ?? {}
    if (activeDeadlineSeconds === undefined || !startTime) return Number.POSITIVE_INFINITY
    return Date.parse(startTime) + Number(activeDeadlineSeconds) * 1000 - now
  }

  /** Tells the status if it has changed. False if the pod has meanwhile. */
  async #tellStatus(observed: Observed, plan: PodPlan): Promise<boolean> {
    const { address, runtimeName, sink, clock } = this.#facts
    const byId = new Map(observed.all.map((each) => [each.id, this.#container(each.config.name)]))
    const backoffs = new Map(
      [...plan.waiting.keys()].map((name) => [name, this.#backoffs.get(name)?.waitMs ?? 0]),
    )
    const containers = containerStatuses({
      ...{ pod: this.pod, runtime: runtimeName, containers: observed.newest },
      ...{ former: observed.former, problems: this.#problems, backoffs },
      isReady: (id) => {
        const container = byId.get(id)
        return container !== undefined && this.#prober.isReady(id, container)
      },
      hasStarted: (id) => this.#prober.hasStarted(id, byId.get(id)),
      terminationMessage: (id) => this.#message(observed.all.find((each) => each.id === id)),
    })
    const ips = observed.sandboxes[0]?.ips ?? []
    const podIP = ips[0] ?? address
    const before = this.pod.status ?? {}
    const hasSandbox = observed.sandboxes.length > 0
    const known = {
      ...before,
      startTime: before.startTime ?? this.#told?.startTime ?? timestamp(clock.now()),
      ...{ hostIP: address, hostIPs: [{ ip: address }] },
      ...(hasSandbox && { podIP, podIPs: (ips.length > 0 ? ips : [podIP]).map((ip) => ({ ip })) }),
      ...(this.#eviction && { phase: 'Failed' as const, ...this.#eviction }),
    }
    const status = statusWith({ ...this.pod, status: known }, containers, clock.now())
    if (deepEqual(status, this.pod.status)) {
      this.#told = status
      return true
    }
    const sent = this.pod
    const stored = await sink.tellStatus(sent, status)
    if (stored === undefined) return false
    this.#told = status
    // What came from the source meanwhile is newer, or comes again.
    if (this.pod === sent) this.pod = stored
    return true
  }

  #message(container: ContainerStatus | undefined): string {
    if (container === undefined) return ''
    const { name, attempt } = container.config
    try {
      const text = readFileSync(messageFile(this.#folder, name, attempt), 'utf8').slice(
        0,
        mostMessage,
      )
      if (text !== '') return text
    } catch {}
    const { terminationMessagePolicy } = this.#container(name) ?? {}
    if (terminationMessagePolicy !== 'FallbackToLogsOnError' || container.exitCode === 0) return ''
    return lastLines(container.logFile)
  }

  #tell(type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#facts.sink.tellEvent(this.pod, { type, reason, message })
  }
}

/** The last lines of a log, as far as 2 KiB hold them. */
function lastLines(file: string): string {
  try {
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n').slice(-80)
    return lines
      .map((line) => line.replace(/^\S+ \S+ \S /, ''))
      .join('\n')
      .slice(-2048)
  } catch {
    return ''
  }
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
