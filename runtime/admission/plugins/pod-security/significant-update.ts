import type { PodSpec } from '../pods/pod-spec.ts'
import type { PodLike } from './pod-templates.ts'

/** True for a change that can make a running pod less safe: images, profiles, and containers that were not there. */
export function isSignificantPodUpdate(pod: PodLike, old: PodLike): boolean {
  const [now, before] = [pod, old].map((one) => ({
    images: imagesOf(one.spec),
    profiles: profilesOf(one.metadata?.annotations ?? {}),
  }))
  return JSON.stringify(now) !== JSON.stringify(before)
}

function imagesOf(spec: Partial<PodSpec> | undefined) {
  const { initContainers, containers, ephemeralContainers } = spec ?? {}
  return [initContainers, containers, ephemeralContainers].map((list) =>
    (list ?? []).map(({ name, image = '' }) => [name, image]),
  )
}

function profilesOf(annotations: Readonly<Record<string, string>>) {
  return Object.entries(annotations)
    .filter(([key]) => /^(container\.apparmor|container\.seccomp|seccomp)\./.test(key))
    .sort(([a], [b]) => (a < b ? -1 : 1))
}
