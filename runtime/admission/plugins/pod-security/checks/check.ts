import type { Container, EphemeralContainer, Pod, PodSpec } from '../../pods/pod-spec.ts'

/** What is looked at of a pod, or of a template for pods. */
export interface CheckedPod {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> }
  readonly spec: Partial<PodSpec>
  /** All containers: those that run before, the others, those for debugging. */
  readonly containers: readonly AnyContainer[]
}

type AnyContainer = Pick<Container & EphemeralContainer, 'name' | 'securityContext' | 'ports'>

/** What a pod may not be at a level. */
export interface Violation {
  readonly reason: string
  readonly detail: string
}

/** One rule: from the release on in which it came, until a later form of it. */
export interface Check {
  readonly id: string
  readonly level: 'baseline' | 'restricted'
  /** Checks of the lower level that this one makes needless. */
  readonly replacedBaselineChecks?: readonly string[]
  readonly versions: readonly { readonly since: number; readonly look: CheckPod }[]
}

/** What is wrong with a pod, if anything. */
export type CheckPod = (pod: CheckedPod) => Violation | undefined

/** A pod, or a template, with its containers in one list. */
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

/** The names of the containers that a test holds for. */
export function namesWhere(
  { containers }: CheckedPod,
  test: (container: AnyContainer) => boolean,
): readonly string[] {
  return containers.filter(test).map(({ name }) => name)
}

/** True for a pod that says it is for Windows. */
export function isWindows({ spec }: CheckedPod): boolean {
  return spec.os?.name === 'windows'
}
