/**
 * The controller manager: the loops that bring a cluster to what its objects ask for, over any client.
 *
 *  1. What is said of a controller (its name, alias, account, gates, where its concurrency is set) is a row of `schemas/controllers.yaml`;
 *     what it does is a folder or file of its concern here, built by a line of that concern's table. Controllers never import each other.
 *  2. A controller is a decision, which is a pure function of what is observed, and a thin effect through the client of its run.
 *  3. Code of a controller that does not run is not loaded.
 *  4. With leader election, controllers run while the lease is held and not a write longer; `run` says whether it ended by that.
 *
 * What runs it (the daemon, `orch up`, the kit for tests) chooses clients, clock, log and configuration.
 */

export { hasBuilder } from './builders.ts'
export type { BuildContext, BuildController, Builders } from './contract/build-controller.ts'
export { controllerHelp } from './controller-help.ts'
export {
  type ControllerManager,
  type ControllerManagerOptions,
  createControllerManager,
  type MigrationSettings,
} from './create-controller-manager.ts'
export { defaultConfiguration } from './default-configuration.ts'
export { accountNamespace, controllerUser, managerUser } from './identities.ts'
export {
  type ControllersInProcessOptions,
  clusterRangeProblems,
  controllersInProcess,
} from './in-process.ts'
export type { EndOfRun } from './leader-turns.ts'
export { nodeRangeProblems, nodeRouteProblems } from './node-range-problems.ts'
export { type SelectedControllers, selectControllers } from './select-controllers.ts'
export { wiperProblems } from './wiper-problems.ts'
