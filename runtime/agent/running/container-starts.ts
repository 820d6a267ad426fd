/** Starts the containers of a pod, and remembers what keeps them from it. */
import type { Container } from '../../../generated/apis/core/v1/container.ts'
import { StartProblem } from '../containers/start-problem.ts'
import type { WaitingReason } from '../decision/container-statuses.ts'
import type { PodAction } from '../decision/pod-plan.ts'
import { afterRestart, type RestartBackoff, restartWaitMs } from '../decision/restart-backoff.ts'
import { ensureImage } from '../images/ensure-image.ts'
import { runProbe } from '../probes/run-probe.ts'
import type { VolumePaths } from '../volumes/pod-volumes.ts'
import { type Observed, observePod } from './pod-observation.ts'
import type { RunningPod } from './running-pod.ts'
import { startContainer } from './start-container.ts'

/** What failed is tried again after so many milliseconds. */
export const retryMs = 2_000
const longestHookSeconds = 300

/** The starts of the containers of one pod. */
export class ContainerStarts {
  /** What keeps a container from running, by its name. */
  readonly problems = new Map<string, WaitingReason>()
  readonly backoffs = new Map<string, RestartBackoff>()
  readonly #pulls = new Map<string, RestartBackoff>()
  readonly #of: RunningPod
  readonly #stop: (id: string, name: string, why: string) => Promise<void>

  constructor(of: RunningPod, stop: (id: string, name: string, why: string) => Promise<void>) {
    this.#of = of
    this.#stop = stop
  }

  /** Milliseconds until it is tried again; infinite if the container runs. */
  async start(
    { container, attempt, beside }: Extract<PodAction, { do: 'start' }>,
    { sandboxes, all }: Observed,
    volumes: VolumePaths,
  ): Promise<number> {
    const { facts, pod, folder } = this.#of
    const { clock, runtime } = facts
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
    const tell = (reason: string, message: string) => this.#of.tell('Normal', reason, message)
    try {
      await ensureImage(pod, container, { runtime, images: facts.images, clock, tell })
      this.#pulls.delete(name)
      if (former !== undefined && former.state !== 'created') {
        this.backoffs.set(name, afterRestart(this.backoffs.get(name), clock.now()))
      }
      const start = { pod, container, attempt, sandbox, folder, volumes }
      const id = await startContainer({ ...start, ...(beside && { beside }) }, facts)
      this.problems.delete(name)
      for (const each of all) {
        if (each.config.name === name && each.id !== former?.id)
          await runtime.removeContainer(each.id)
      }
      await this.#afterStart(id, container)
      return Number.POSITIVE_INFINITY
    } catch (error) {
      if (!(error instanceof StartProblem)) throw error
      return this.#failed(error, name, image, await this.#isBegun(name, attempt))
    }
  }

  #failed(
    { reason, message }: StartProblem,
    name: string,
    image: string,
    isBegun: boolean,
  ): number {
    const isPull = reason === 'ErrImagePull'
    const text = isPull ? `Failed to pull image ${JSON.stringify(image)}: ${message}` : message
    const said = ['InvalidImageName', 'ImageInspectError'].includes(reason) ? reason : 'Failed'
    this.#of.tell('Warning', said, isPull || said !== 'Failed' ? text : `Error: ${text}`)
    this.problems.set(name, { reason, message })
    // One that was begun has ended, and waits for its next start as others do.
    if (reason === 'RunContainerError' && isBegun) return Number.POSITIVE_INFINITY
    if (!isPull) return 5 * retryMs
    this.#of.tell('Warning', 'Failed', 'Error: ErrImagePull')
    this.#pulls.set(name, afterRestart(this.#pulls.get(name), this.#of.facts.clock.now()))
    return retryMs
  }

  async #isBegun(name: string, attempt: number): Promise<boolean> {
    const { facts, pod } = this.#of
    const found = await observePod(facts.runtime, pod.metadata.uid).then(
      ({ newest }) => newest.get(name),
      () => undefined,
    )
    return found?.config.attempt === attempt && found.state !== 'created'
  }

  #backOffPull(name: string, image: string): void {
    if (this.problems.get(name)?.reason === 'ImagePullBackOff') return
    const message = `Back-off pulling image ${JSON.stringify(image)}`
    this.problems.set(name, { reason: 'ImagePullBackOff', message })
    this.#of.tell('Normal', 'BackOff', message)
    this.#of.tell('Warning', 'Failed', 'Error: ImagePullBackOff')
  }

  async #afterStart(id: string, container: Container): Promise<void> {
    const hook = container.lifecycle?.postStart
    if (hook === undefined) return
    const probed = this.#of.probed(id, container)
    const { passed, message } = await runProbe(hook, longestHookSeconds, probed)
    if (passed) return
    this.#of.tell('Warning', 'FailedPostStartHook', `PostStartHook failed: ${message}`)
    this.problems.set(container.name, { reason: 'PostStartHookError', message })
    await this.#stop(id, container.name, 'FailedPostStartHook')
  }
}
