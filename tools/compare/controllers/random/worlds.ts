/** The worlds that histories are drawn from. */
import { daemonSets } from './daemon-sets.ts'
import { deployments } from './deployments.ts'
import { disruptionWorlds } from './disruption.ts'
import { identityWorlds } from './identity.ts'
import { jobs } from './jobs.ts'
import { networkWorlds } from './network.ts'
import { nodeWorlds } from './nodes.ts'
import { ownerWorlds } from './owners.ts'
import { quotaWorlds } from './quota.ts'
import { sets } from './sets.ts'
import { statefulSets } from './stateful-sets.ts'
import { storageWorlds } from './storage.ts'
import type { World } from './world.ts'

export const worlds: readonly World[] = [
  deployments,
  sets,
  statefulSets,
  daemonSets,
  jobs,
  ...networkWorlds,
  ...disruptionWorlds,
  ...quotaWorlds,
  ...storageWorlds,
  ...ownerWorlds,
  ...nodeWorlds,
  ...identityWorlds,
]
