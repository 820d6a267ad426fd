import { join } from 'node:path'
import {
  type ContainerRuntime,
  createEmbeddedRuntime,
  probeLevel,
} from '../../runtime/container-runtime/container-runtime.ts'
import { systemClock } from '../../runtime/kernel/async/clock.ts'
import type { Log } from '../../runtime/observe/observe.ts'
import type { AgentSettings } from './agent-settings.ts'

/** The runtime that the settings name, or the best that this machine and user allow. @throws an Error that says why there is none. */
export function openRuntime(
  { level, rootFolder }: Pick<AgentSettings, 'level' | 'rootFolder'>,
  version: string,
  log: Log,
): ContainerRuntime {
  const probed = probeLevel()
  if (level === 'namespace' && probed.level !== 'namespace') {
    throw new Error(`the embedded runtime cannot work at the level of namespaces: ${probed.why}`)
  }
  const chosen = level ?? probed.level
  log.info('containers are run by the embedded runtime', {
    runtime: `embedded-${chosen}`,
    ...(level === undefined && probed.why !== '' && { why: probed.why }),
  })
  return createEmbeddedRuntime({
    folder: join(rootFolder, 'runtime'),
    level: chosen,
    version,
    clock: systemClock,
  })
}
