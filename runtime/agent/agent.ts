/**
 * The agent of a node: pods that run.
 *
 *  1. Pods come from sources, an API server or manifests; what runs comes from a container runtime. What is to be done is decided by pure
 *     functions of both (`decision/`), and done by one runner for each pod.
 *  2. Everything that a new agent has to know it asks of the runtime: one that comes back starts nothing again.
 *  3. What keeps a pod from running is said in its status and by events, in the words of release 1.29, and tried again; other pods go on.
 *  4. Nothing that a pod names leads out of the folders of the pod.
 */
export {
  type ConfigObjects,
  noConfigObjects,
  serverConfigObjects,
} from './containers/config-objects.ts'
export { readResolvConf } from './containers/dns.ts'
export { noPlace } from './decision/node-place.ts'
export { createImageCollector } from './images/collect-images.ts'
export { type ProviderProgram, providerCredentials } from './images/credential-providers.ts'
export { createImagePuller } from './images/image-puller.ts'
export { keepLogsShort } from './logs/rotate-logs.ts'
export { allocatableOf } from './node/allocatable.ts'
export { registerCsiNode } from './node/csi-node.ts'
export { type KeepNodeOptions, keepNode, registerNode } from './node/keep-node.ts'
export { type MachineFacts, machineFacts } from './node/node-facts.ts'
export { type NodeSettings, type NodeState, nodeLabels } from './node/node-object.ts'
export {
  type NodeShutdown,
  nodeShutdown,
  type ShutdownGroup,
  shutdownGroups,
} from './node/node-shutdown.ts'
export type { NodePressure } from './pressure/decide-pressure.ts'
export { createEvictor, type Evictor } from './pressure/evictor.ts'
export { observeMachine } from './pressure/observe-machine.ts'
export { type PodUse, resourceOf } from './pressure/rank-pods.ts'
export { readThresholds, type Threshold } from './pressure/thresholds.ts'
export { volumeOverLimit } from './pressure/volume-limits.ts'
export type { AgentFacts } from './running/agent-facts.ts'
export { type Agent, createAgent } from './running/create-agent.ts'
export { isMirror, isStatic, mirrorSink } from './running/mirror-sink.ts'
export { podGroups } from './running/pod-groups.ts'
export { type PodSink, serverSink, silentSink } from './running/pod-sink.ts'
export { podLogFolder } from './running/sandbox-config.ts'
export { readManifestFolder, readManifestUrl } from './sources/manifest-folder.ts'
export { followManifests } from './sources/manifest-source.ts'
export { serviceVariables } from './sources/service-variables.ts'
export { releaseVolumes } from './volumes/empty-folder.ts'
export { type ServiceTokens, serverTokens } from './volumes/service-tokens.ts'
export { serverClaims } from './volumes/volume-claims.ts'
