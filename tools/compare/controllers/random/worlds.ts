/** The worlds that histories are drawn from. */
import { deployments } from './deployments.ts'
import { disruptionWorlds } from './disruption.ts'
import { identityWorlds } from './identity.ts'
import { networkWorlds } from './network.ts'
import { nodeWorlds } from './nodes.ts'
import { ownerWorlds } from './owners.ts'
import { quotaWorlds } from './quota.ts'
import { storageWorlds } from './storage.ts'
import type { World } from './world.ts'

export const worlds: readonly World[] = [
  deployments,
  ...networkWorlds,
  ...disruptionWorlds,
  ...quotaWorlds,
  ...storageWorlds,
  ...ownerWorlds,
  ...nodeWorlds,
  ...identityWorlds,
]
