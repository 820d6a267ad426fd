/**
 * Simulated nodes: nodes that register, send heartbeats, and lead the pods that are bound to them through their phases, without anything
 * that runs.
 *
 *  1. They write what an agent of nodes writes, in its order, and nothing twice.
 *  2. What becomes of a pod is a list of stages: typed functions with delays, which users replace and add to.
 *  3. Pods say in annotations what is to happen to them: see `PodBehaviour`.
 *  4. With a virtual clock no time passes, and with the same seed the same delays are drawn.
 */

export {
  createSimulatedNodes,
  type SimulatedNodes,
  type SimulatedNodesOptions,
  type SimulatedNodesSettings,
} from './create-simulated-nodes.ts'
export type { Delay } from './delay.ts'
export { type NodesInProcessOptions, nodesInProcess } from './in-process.ts'
export { defaultStages } from './pods/default-stages.ts'
export type { PodBehaviour } from './pods/pod-behaviour.ts'
export type { PodChange, PodStage, StageContext } from './pods/pod-stage.ts'
