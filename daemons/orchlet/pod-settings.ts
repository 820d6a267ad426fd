/** What the settings of the node mean for its pods. */
import { existsSync, readFileSync } from 'node:fs'
import { homedir, totalmem } from 'node:os'
import { join } from 'node:path'
import { runtimeClasses } from '../../generated/apis/node/v1.ts'
import {
  type AgentFacts,
  createImagePuller,
  podGroups,
  providerCredentials,
  readResolvConf,
} from '../../runtime/agent/agent.ts'
import type { Client } from '../../runtime/client/client.ts'
import { openControlGroups } from '../../runtime/container-runtime/container-runtime.ts'
import type { Platform } from '../../runtime/kernel/descriptors/platform.ts'
import { parseDuration } from '../../runtime/kernel/values/duration.ts'
import type { AgentSettings } from './agent-settings.ts'

type Given = Pick<AgentFacts, 'runtime' | 'objects' | 'clock' | 'log'>
type Found = Pick<AgentFacts, 'limits' | 'security' | 'dns' | 'images' | 'groups' | 'handlerOf'>

/** Enough to set no limit. */
const pullsAtOnce = 1000

/** What pods are limited by, may do and look names up with, and how their images are pulled. */
export function podSettings(
  { configuration, rootFolder, providers }: AgentSettings,
  client: Client | undefined,
  platform: Platform,
  { runtime, objects, clock, log }: Given,
): Found {
  const limits = {
    memoryBytes: totalmem(),
    enforcesCpu: configuration.cpuCFSQuota,
    cpuPeriodMs: parseDuration(configuration.cpuCFSQuotaPeriod) ?? 100,
  }
  return {
    limits,
    security: {
      seccomp: configuration.seccompDefault,
      seccompFolder: join(rootFolder, 'seccomp'),
    },
    dns: {
      clusterServers: configuration.clusterDNS ?? [],
      clusterDomain: configuration.clusterDomain ?? '',
      own: () => readResolvConf(textOf(configuration.resolvConf)),
    },
    images: createImagePuller({
      ...{ runtime, objects, clock },
      files: [rootFolder, '.', join(homedir(), '.docker'), '/.docker'].map((folder) =>
        join(folder, 'config.json'),
      ),
      providers:
        providers && providerCredentials({ ...providers, environment: process.env, clock, log }),
      atOnce: configuration.serializeImagePulls
        ? 1
        : (configuration.maxParallelImagePulls ?? pullsAtOnce),
      perSecond: configuration.registryPullQPS,
      burst: configuration.registryBurst,
    }),
    groups: groupsOf(),
    async handlerOf(name) {
      if (client === undefined) throw new Error(`runtime class ${name}: there is no server`)
      return (await client.resource(runtimeClasses).get(name)).handler
    },
  }

  function groupsOf(): AgentFacts['groups'] {
    if (!configuration.cgroupsPerQOS || configuration.cgroupDriver !== 'cgroupfs') return undefined
    const groups = openControlGroups()
    if (typeof groups === 'string') {
      log.info('pods have no control groups, and no limits but those of the runtime', {
        why: groups,
      })
      return undefined
    }
    const above = (configuration.cgroupRoot ?? '').replace(/^\/+|\/+$/g, '')
    const own = `${platform.prefix}pods`
    const { podPidsLimit } = configuration
    return podGroups({
      ...{ groups, limits, root: above === '' ? own : `${above}/${own}` },
      processes: podPidsLimit > 0 ? podPidsLimit : undefined,
    })
  }
}

function textOf(file: string): string {
  return file !== '' && existsSync(file) ? readFileSync(file, 'utf8') : ''
}
