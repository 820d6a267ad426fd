import type { Container, EphemeralContainer, Pod, PodSpec } from '../../pods/pod-spec.ts'

/** A pod or pod template as checks read it. */
export interface CheckedPod {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> }
  readonly spec: Partial<PodSpec>
  /** Init containers, containers and ephemeral containers, in this order. */
  readonly containers: readonly AnyContainer[]
}

type AnyContainer = Pick<Container & EphemeralContainer, 'name' | 'securityContext' | 'ports'>

/** A violation of a check, as messages print it. */
export interface Violation {
  readonly reason: string
  readonly detail: string
}

/** Returns the violation of a pod; undefined if it passes. */
export type CheckPod = (pod: CheckedPod) => Violation | undefined

/** A check of a level, with one function for each release that changed it. */
export interface Check {
  readonly id: string
  readonly level: 'baseline' | 'restricted'
  /** The checks of the baseline level that are not run beside this one. */
  readonly replacedBaselineChecks?: readonly string[]
  /** Ascending by `since`, the minor number of the release. */
  readonly versions: readonly { readonly since: number; readonly check: CheckPod }[]
}

/** A pod, or pod template, as checks read it. */
export function checkedPod({
  spec,
  metadata,
}: Pick<Pod, 'spec'> & { metadata?: unknown }): CheckedPod {
  const { initContainers, containers, ephemeralContainers } = spec ?? {}
  return {
    metadata: (metadata ?? {}) as CheckedPod['metadata'],
    spec: spec ?? {},
    containers: [...(initContainers ?? []), ...(containers ?? []), ...(ephemeralContainers ?? [])],
  }
}

/** The names of the containers that pass the test. */
export function namesWhere(
  { containers }: CheckedPod,
  test: (container: AnyContainer) => boolean,
): readonly string[] {
  return containers.filter(test).map(({ name }) => name)
}

/** True for a pod whose operating system is Windows. */
export function isWindows({ spec }: CheckedPod): boolean {
  return spec.os?.name === 'windows'
}
