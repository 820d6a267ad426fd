/** The worlds that histories are drawn from. */
import { daemonSets } from './daemon-sets.ts'
import { deployments } from './deployments.ts'
import { jobs } from './jobs.ts'
import { sets } from './sets.ts'
import { statefulSets } from './stateful-sets.ts'
import type { World } from './world.ts'

export const worlds: readonly World[] = [deployments, sets, statefulSets, daemonSets, jobs]
