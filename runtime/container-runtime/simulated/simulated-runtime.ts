import { randomBytes } from 'node:crypto'
import { PassThrough, Readable } from 'node:stream'
import { keepAlive, pause } from '../../kernel/async/clock.ts'
import type {
  ContainerConfig,
  ContainerStats,
  PodSandboxConfig,
  PodSandboxStatus,
} from '../contract/container.ts'
import type { ContainerRuntime, ExecResult } from '../contract/container-runtime.ts'
import type { Image } from '../contract/image.ts'
import { RuntimeError } from '../contract/runtime-error.ts'
import type { AttachOptions, ContainerSession, ExecOptions } from '../contract/session.ts'
import { SimulatedContainer, type SimulatedMachine } from './simulated-machine.ts'

/** A runtime whose programs do nothing but what is said of them, when its clock says so. */
export function createSimulatedRuntime(
  machine: SimulatedMachine,
  version: string,
): ContainerRuntime {
  const { clock, programs, sandboxes, containers, images, listeners } = machine
  const own = new Set<(sandboxId: string) => void>()

  function containerOf(id: string): SimulatedContainer {
    const found = containers.get(id)
    if (found === undefined) throw new RuntimeError('NotFound', `container ${id} is not there`)
    return found
  }

  function runningOf(id: string): SimulatedContainer {
    const found = containerOf(id)
    if (found.isRunning) return found
    throw new RuntimeError('FailedPrecondition', `container ${id} does not run`)
  }

  const containersOf = (sandboxId: string) =>
    [...containers.values()].filter((each) => each.sandboxId === sandboxId)

  async function exec(id: string, options: ExecOptions): Promise<ContainerSession> {
    const { config } = runningOf(id)
    const done = programs.command?.(config, options.command) ?? {}
    if (done.refusal !== undefined) throw new RuntimeError('Unknown', done.refusal)
    const { takesMs = 0, exitCode = 0, stdout = '', stderr = '' } = done
    const stop = new AbortController()
    options.signal?.addEventListener('abort', () => stop.abort(), { once: true })
    if (options.signal?.aborted) stop.abort()
    const ended = pause(clock, takesMs, stop.signal).finally(keepAlive())
    const output = (text: string) =>
      Readable.from(
        (async function* () {
          if (text !== '') yield Buffer.from(text)
          await ended
        })(),
      )
    return {
      ...{ stdin: options.stdin ? new PassThrough().resume() : undefined, stdout: output(stdout) },
      stderr: options.tty ? undefined : output(stderr),
      ended: ended.then(() => (stop.signal.aborted ? undefined : exitCode)),
      resize: () => {},
      close: () => stop.abort(),
    }
  }

  return {
    mounts: true,
    checksMounts: true,
    version: async () => ({ name: 'simulated', version }),
    check: async () => {},

    async runPodSandbox(config: PodSandboxConfig) {
      const id = newId()
      sandboxes.set(id, { config, createdAt: clock.now(), ready: true })
      return id
    },
    async stopPodSandbox(id) {
      const sandbox = sandboxes.get(id)
      if (sandbox === undefined) return
      await Promise.all(containersOf(id).map((each) => each.stop(0)))
      if (!sandbox.ready) return
      sandbox.ready = false
      for (const tell of listeners) tell(id)
    },
    async removePodSandbox(id) {
      await this.stopPodSandbox(id)
      for (const each of containersOf(id)) containers.delete(each.id)
      sandboxes.delete(id)
    },
    async listPodSandboxes(): Promise<readonly PodSandboxStatus[]> {
      return [...sandboxes].map(([id, sandbox]) => ({ ...sandbox, id, ips: [] }))
    },

    async createContainer(sandboxId: string, config: ContainerConfig) {
      if (!sandboxes.has(sandboxId)) {
        throw new RuntimeError('NotFound', `sandbox ${sandboxId} is not there`)
      }
      if (!images.has(config.image)) {
        throw new RuntimeError('NotFound', `image ${config.image} is not there`)
      }
      const id = newId()
      containers.set(id, new SimulatedContainer(id, sandboxId, config, machine))
      return id
    },
    async startContainer(id) {
      containerOf(id).start()
    },
    async stopContainer(id, timeoutSeconds) {
      await containers.get(id)?.stop(timeoutSeconds)
    },
    async removeContainer(id) {
      await containers.get(id)?.stop(0)
      containers.delete(id)
    },
    listContainers: async () => [...containers.values()].map((each) => each.status()),
    containerStatus: async (id) => containerOf(id).status(),

    async execSync(id, command, timeoutSeconds): Promise<ExecResult> {
      const late = new AbortController()
      const cancel =
        timeoutSeconds > 0 ? clock.after(timeoutSeconds * 1000, () => late.abort()) : () => {}
      const options = { command, tty: false, stdin: false, signal: late.signal }
      const { stdout, stderr, ended } = await exec(id, options).catch((error) => {
        cancel()
        throw error
      })
      const outputs = [stdout, stderr].map((stream) => stream?.toArray() ?? [])
      const exitCode = await ended
      cancel()
      if (exitCode === undefined) {
        const why = `command ${JSON.stringify(command.join(' '))} timed out after ${timeoutSeconds}s`
        throw new RuntimeError('DeadlineExceeded', why)
      }
      const [out = [], err = []] = await Promise.all(outputs)
      return { exitCode, stdout: Buffer.concat(out), stderr: Buffer.concat(err) }
    },
    exec,
    async attach(id, { signal }: AttachOptions): Promise<ContainerSession> {
      const container = runningOf(id)
      const stop = new AbortController()
      signal?.addEventListener('abort', () => stop.abort(), { once: true })
      const outputs = [new PassThrough(), new PassThrough()] as const
      const closed = new Promise<undefined>((resolve) =>
        stop.signal.addEventListener('abort', () => resolve(undefined), { once: true }),
      )
      const ended = Promise.race([container.ended(), closed])
      void ended.then(() => {
        for (const output of outputs) output.end()
      })
      const [stdout, stderr] = outputs
      const { tty } = container.config
      const close = () => stop.abort()
      return {
        stdin: undefined,
        stdout,
        stderr: tty ? undefined : stderr,
        ended,
        close,
        resize() {},
      }
    },
    async portForward(sandboxId, port) {
      if (sandboxes.get(sandboxId)?.ready !== true) {
        throw new RuntimeError('NotFound', `sandbox ${sandboxId} does not run`)
      }
      throw new RuntimeError('Unavailable', `port ${port}: connection refused: nothing listens`)
    },
    reopenContainerLog: async () => {},
    listContainerStats: async (): Promise<readonly ContainerStats[]> =>
      [...containers.values()]
        .filter(({ isRunning }) => isRunning)
        .map(({ id }) => ({
          ...{ id, at: clock.now(), cpuNanoseconds: 0, memoryBytes: 0, processes: 1 },
        })),

    listImages: async () => [...images].map(imageOf),
    imageStatus: async (reference) => (images.has(reference) ? imageOf(reference) : undefined),
    async pullImage(reference) {
      if (programs.hasImage?.(reference) === false) {
        throw new RuntimeError('NotFound', `image ${reference}: no registry has it`)
      }
      images.add(reference)
      return reference
    },
    removeImage: async (reference) => void images.delete(reference),
    imageFileSystems: async () => [],

    onChange(changed) {
      listeners.add(changed)
      own.add(changed)
      return () => {
        listeners.delete(changed)
        own.delete(changed)
      }
    },
    async close() {
      for (const each of own) listeners.delete(each)
    },
  }
}

function imageOf(reference: string): Image {
  return { id: reference, tags: [reference], digests: [], bytes: 0 }
}

function newId(): string {
  return randomBytes(32).toString('hex')
}
