import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  type ContainerRuntime,
  createCriRuntime,
  createEmbeddedRuntime,
  createSimulatedRuntime,
  openControlGroups,
  probeLevel,
  simulatedMachine,
  whyNoNetworks,
} from '../../runtime/container-runtime/container-runtime.ts'
import { systemClock } from '../../runtime/kernel/async/clock.ts'
import { errorText } from '../../runtime/kernel/errors/error-text.ts'
import { parseDuration } from '../../runtime/kernel/values/duration.ts'
import type { AgentSettings, AskedRuntime } from './agent-settings.ts'

/** What containers are run by, and why by nothing better. */
export interface RuntimeChoice {
  /** Such as `containerd 1.6.20 at unix:///run/containerd/containerd.sock`. */
  readonly name: string
  readonly why: string
}

/** The runtime that the settings name: behind a socket, or the best of the embedded one that this machine and user allow. @throws an Error that says why there is none. */
export async function openRuntime(
  settings: Pick<AgentSettings, 'configuration' | 'runtime' | 'rootFolder' | 'podRange'>,
  version: string,
  tell: (choice: RuntimeChoice) => void,
): Promise<ContainerRuntime> {
  const { runtime, configuration } = settings
  if (runtime.isSimulated) {
    tell({ name: 'nothing', why: 'they are simulated' })
    return createSimulatedRuntime(simulatedMachine(systemClock), version)
  }
  const requestMs = parseDuration(configuration.runtimeRequestTimeout) ?? 0
  const found = await openSocket(runtime, requestMs, tell)
  return typeof found === 'string' ? openEmbedded(settings, version, found, tell) : found
}

/** The runtime behind the socket, or why there is none where none has to be. */
async function openSocket(
  { endpoint, isUsual }: AskedRuntime,
  requestMs: number,
  tell: (choice: RuntimeChoice) => void,
): Promise<ContainerRuntime | string> {
  if (endpoint === undefined) return ''
  if (isUsual && !existsSync(endpoint.slice('unix://'.length))) {
    return `there is no container runtime at ${endpoint}`
  }
  const runtime = await createCriRuntime({
    ...{ endpoint, clock: systemClock },
    ...(requestMs > 0 && { requestMs }),
  })
  try {
    const { name, version } = await runtime.version()
    if (isUsual) await runtime.check()
    tell({ name: `${name} ${version} at ${endpoint}`, why: '' })
    return runtime
  } catch (error) {
    await runtime.close()
    const why = `the runtime at ${endpoint} cannot be used: ${errorText(error)}`
    if (isUsual) return why
    throw new Error(`${why}; start it, or give --container-runtime-endpoint=embedded`)
  }
}

const apart = {
  process: 'at the level process: nothing but process groups keeps them apart',
  namespace:
    'at the level namespace: they are kept apart by namespaces and share the network of the machine',
  full: 'at the level full: pods have networks of their own',
}

async function openEmbedded(
  { runtime, rootFolder, podRange }: Pick<AgentSettings, 'runtime' | 'rootFolder' | 'podRange'>,
  version: string,
  whyNoSocket: string,
  tell: (choice: RuntimeChoice) => void,
): Promise<ContainerRuntime> {
  const { level } = runtime
  const probed = probeLevel()
  if (level !== undefined && level !== 'process' && probed.level === 'process') {
    throw new Error(`the embedded runtime cannot work at the level of namespaces: ${probed.why}`)
  }
  const why = level === 'full' ? await whyNoNetworks() : ''
  if (why !== '') throw new Error(`the embedded runtime cannot work at the level full: ${why}`)
  const chosen = level ?? probed.level
  const reasons = [whyNoSocket, level === undefined ? probed.why : ''].filter((one) => one !== '')
  tell({ name: `the embedded runtime, ${apart[chosen]}`, why: reasons.join('; ') })
  const groups = openControlGroups()
  return createEmbeddedRuntime({
    groups: typeof groups === 'string' ? undefined : groups,
    folder: join(rootFolder, 'runtime'),
    level: chosen,
    ...(podRange !== '' && { podRange }),
    version,
    clock: systemClock,
  })
}
