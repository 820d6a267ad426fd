/** How the containers of a pod end, and what is left of it is removed. */
import type { Container } from '../../../generated/apis/core/v1/container.ts'
import { type ContainerStatus, removeFolder } from '../../container-runtime/container-runtime.ts'
import { pause } from '../../kernel/async/clock.ts'
import { isSidecarOf, specOf } from '../../pods/pods.ts'
import { runProbe } from '../probes/run-probe.ts'
import { removeVolumes } from '../volumes/pod-volumes.ts'
import { type Observed, runningOf } from './pod-observation.ts'
import type { RunningPod } from './running-pod.ts'
import { podLogFolder } from './sandbox-config.ts'

/** Seconds that a pod has to end which says nothing of it. */
const usualGrace = 30
const leastGrace = 2

/** Ends pods. `graceOf` gives the seconds that a pod has which is sent away; undefined for its own. */
export class PodEnd {
  readonly #of: RunningPod
  readonly #graceOf: () => number | undefined

  constructor(of: RunningPod, graceOf: () => number | undefined) {
    this.#of = of
    this.#graceOf = graceOf
  }

  /** Ends a container: its hook first, then its program. */
  async stop(id: string, name: string, why: string): Promise<void> {
    const { clock, runtime } = this.#of.facts
    this.#of.tell('Normal', 'Killing', why)
    const container = this.#of.container(name)
    const grace = this.#grace(container)
    const began = clock.monotonic()
    if (container !== undefined) await this.#runHook(id, container, grace)
    const spent = (clock.monotonic() - began) / 1000
    await runtime.stopContainer(id, Math.max(leastGrace, grace - spent))
  }

  /** Ends the containers, those that run beside others last, and the sandbox. */
  async end(observed: Observed): Promise<void> {
    const running = runningOf(observed)
    const isLast = ({ config }: ContainerStatus) => isSidecarOf(this.#of.pod, config.name)
    const stop = ({ id, config }: ContainerStatus) =>
      this.stop(id, config.name, `Stopping container ${config.name}`)
    await Promise.all(running.filter((each) => !isLast(each)).map(stop))
    for (const each of running.filter(isLast).reverse()) await stop(each)
    for (const { id } of observed.sandboxes) await this.#of.facts.runtime.stopPodSandbox(id)
  }

  /** Removes all that is left of the pod. */
  async cleanUp({ sandboxes }: Observed): Promise<void> {
    const { pod, folder, facts } = this.#of
    for (const { id } of sandboxes) await facts.runtime.removePodSandbox(id)
    await removeVolumes(folder)
    await removeFolder(folder)
    await removeFolder(podLogFolder(pod, facts.logFolder))
    facts.groups?.remove(pod)
    facts.tokens?.forget(pod.metadata.uid)
  }

  async #runHook(id: string, container: Container, grace: number): Promise<void> {
    const hook = container.lifecycle?.preStop
    if (hook === undefined || grace === 0) return
    const sleepMs = (hook.sleep?.seconds ?? 0) * 1000
    if (sleepMs > 0) return pause(this.#of.facts.clock, Math.min(sleepMs, grace * 1000))
    const round = await runProbe(hook, grace, this.#of.probed(id, container))
    if (round.passed) return
    this.#of.tell('Warning', 'FailedPreStopHook', `PreStopHook failed: ${round.message}`)
  }

  #grace(container: Container | undefined): number {
    const sentAway = this.#graceOf()
    if (sentAway !== undefined) return sentAway
    const { deletionGracePeriodSeconds } = this.#of.pod.metadata
    const { terminationGracePeriodSeconds = usualGrace } = specOf(this.#of.pod)
    if (deletionGracePeriodSeconds !== undefined) return Number(deletionGracePeriodSeconds)
    const own = container?.livenessProbe?.terminationGracePeriodSeconds
    return Number(own ?? terminationGracePeriodSeconds)
  }
}
