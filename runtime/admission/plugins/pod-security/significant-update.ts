import type { PodSpec } from '../pods/pod-spec.ts'
import type { PodLike } from './pod-templates.ts'

/**
 * True for an update that can make a running pod less secure: of images, profile annotations, or
 * with new containers. Everything else that security depends on cannot change in a running pod.
 * Other updates pass without a look at the level, so that pods from before it can still be
 * labelled.
 */
export function isSignificantPodUpdate(pod: PodLike, oldPod: PodLike): boolean {
  const [current, old] = [pod, oldPod].map((one) => ({
    images: imagesOf(one.spec),
    profiles: profilesOf(one.metadata?.annotations ?? {}),
  }))
  return JSON.stringify(current) !== JSON.stringify(old)
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
