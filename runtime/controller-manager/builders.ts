import type { ControllerName } from '../../generated/controllers.ts'
import { autoscaling } from './autoscaling/builders.ts'
import { batch } from './batch/builders.ts'
import { cloud } from './cloud/builders.ts'
import { cluster } from './cluster/builders.ts'
import type { BuildController, Builders } from './contract/build-controller.ts'
import { disruption } from './disruption/builders.ts'
import { garbageCollection } from './garbage-collection/builders.ts'
import { identity } from './identity/builders.ts'
import { network } from './network/builders.ts'
import { quota } from './quota/builders.ts'
import { resourceClaims } from './resource-claims/builders.ts'
import { storage } from './storage/builders.ts'
import { workloads } from './workloads/builders.ts'

/** What makes each controller: the tables of all concerns. A controller without a line in one of them cannot run yet. */
const builders: Builders = {
  ...autoscaling,
  ...batch,
  ...cloud,
  ...cluster,
  ...disruption,
  ...garbageCollection,
  ...identity,
  ...network,
  ...quota,
  ...resourceClaims,
  ...storage,
  ...workloads,
}

/** What makes a controller; undefined for one that is known by name only. */
export function builderOf(name: ControllerName): BuildController | undefined {
  return builders[name]
}

/** True for a controller that can run. */
export function hasBuilder(name: ControllerName): boolean {
  return builders[name] !== undefined
}
