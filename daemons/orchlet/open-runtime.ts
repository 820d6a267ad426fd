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
import type { Log } from '../../runtime/observe/observe.ts'
import type { AgentSettings, AskedRuntime } from './agent-settings.ts'

/** The runtime that the settings name: behind a socket, or the best of the embedded one that this machine and user allow. @throws an Error that says why there is none. */
export async function openRuntime(
  settings: Pick<AgentSettings, 'configuration' | 'runtime' | 'rootFolder' | 'podRange'>,
  version: string,
  log: Log,
): Promise<ContainerRuntime> {
  const { runtime, configuration } = settings
  if (runtime.isSimulated) {
    log.info('containers are simulated: no program runs')
    return createSimulatedRuntime(simulatedMachine(systemClock), version)
  }
  const requestMs = parseDuration(configuration.runtimeRequestTimeout) ?? 0
  const found = await openSocket(runtime, requestMs, log)
  return typeof found === 'string' ? openEmbedded(settings, version, found, log) : found
}

/** The runtime behind the socket, or why there is none where none has to be. */
async function openSocket(
  { endpoint, isUsual }: AskedRuntime,
  requestMs: number,
  log: Log,
): Promise<ContainerRuntime | string> {
  if (endpoint === undefined) return ''
  if (isUsual && !existsSync(endpoint.slice('unix://'.length))) return ''
  const runtime = await createCriRuntime({
    ...{ endpoint, clock: systemClock },
    ...(requestMs > 0 && { requestMs }),
  })
  try {
    const { name, version } = await runtime.version()
    if (isUsual) await runtime.check()
    log.info('containers are run by a runtime behind a socket', {
      runtime: name,
      version,
      endpoint,
    })
    return runtime
  } catch (error) {
    await runtime.close()
    const why = `the runtime at ${endpoint} cannot be used: ${errorText(error)}`
    if (isUsual) return why
    throw new Error(`${why}; start it, or give --container-runtime-endpoint=embedded`)
  }
}

async function openEmbedded(
  { runtime, rootFolder, podRange }: Pick<AgentSettings, 'runtime' | 'rootFolder' | 'podRange'>,
  version: string,
  whyNoSocket: string,
  log: Log,
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
  log.info('containers are run by the embedded runtime', {
    runtime: `embedded-${chosen}`,
    ...(reasons.length > 0 && { why: reasons.join('; ') }),
  })
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
