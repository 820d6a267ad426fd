/** Parts of the objects that scenarios write. */
import type { Cluster } from '../cluster.ts'

/** What happens in one namespace; it ends when everything that it waits for has come. */
export type ControllerScenario = (cluster: Cluster) => Promise<void>

/** Scenarios by the name of their namespace, which begins with `s-`. */
export type ControllerScenarios = Readonly<Record<string, ControllerScenario>>

export const app = { app: 'x' }
export const selector = { matchLabels: app }

/** The spec of a pod with one container. */
export function podSpec(spec: object = {}): object {
  return {
    terminationGracePeriodSeconds: 0,
    containers: [{ name: 'main', image: 'work' }],
    ...spec,
  }
}

/** A template of pods labelled `app: x`; `agent` says what becomes of them. */
export function template(agent = 'ready', spec: object = {}, labels: object = app): object {
  return { metadata: { labels, annotations: { agent } }, spec: podSpec(spec) }
}

/** A pod of its own. */
export function pod(
  name: string,
  agent = 'ready',
  spec: object = {},
  metadata: object = {},
): object {
  return { metadata: { name, annotations: { agent }, ...metadata }, spec: podSpec(spec) }
}

/** A deployment of pods labelled `app: x`. */
export function deployment(name: string, spec: object = {}): object {
  return { metadata: { name }, spec: { replicas: 3, selector, template: template(), ...spec } }
}

export const deployments = 'apps/v1/deployments'
export const replicaSets = 'apps/v1/replicasets'
export const statefulSets = 'apps/v1/statefulsets'
export const daemonSets = 'apps/v1/daemonsets'
export const jobs = 'batch/v1/jobs'
export const cronJobs = 'batch/v1/cronjobs'
export const pods = 'v1/pods'
export const services = 'v1/services'
export const slices = 'discovery.k8s.io/v1/endpointslices'
export const claims = 'v1/persistentvolumeclaims'
export const volumes = 'v1/persistentvolumes'
export const nodes = 'v1/nodes'
export const classes = 'storage.k8s.io/v1/storageclasses'
