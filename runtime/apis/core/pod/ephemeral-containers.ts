import type { EphemeralContainer } from '../../../../generated/apis/core/v1/container.ts'
import type { PodSpec } from '../../../../generated/apis/core/v1/pod.ts'
import type { Field } from '../../../kernel/walker/field.ts'
import { checkContainer } from './container.ts'

/** Fields that make no sense for a container that is never restarted, measured or scheduled. */
const disallowedFields = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
] as const

/**
 * Containers that are added to a pod while it runs have names of their own, and little beside.
 * A name may be neither that of another container of the pod nor of another ephemeral one. The
 * container that is debugged is one of the others. Fields that are not allowed are reported once
 * and not judged further.
 */
export function checkEphemerals(spec: Field<PodSpec>): void {
  const { containers, initContainers, volumes: given } = spec.value
  const others = [...(containers ?? []), ...(initContainers ?? [])]
  const targets = new Set(others.map(({ name }) => name))
  const names = new Set<unknown>(targets)
  const volumes = new Map(given?.map((volume) => [volume.name, volume]))
  spec.each('ephemeralContainers', (container) => {
    const { targetContainerName: target } = container.value
    container.unique('name', names)
    if (target && !targets.has(target)) container.notFound('targetContainerName')
    for (const key of disallowedFields) {
      if (isGiven(container.value[key])) {
        container.forbidden(key, 'cannot be set for an Ephemeral Container')
      }
    }
    const allowed = container.with(withoutDisallowed(container))
    checkContainer(allowed, { init: false, hostNetwork: false, volumes })
  })
}

function withoutDisallowed({ value }: Field<EphemeralContainer>): object {
  const names: readonly string[] = disallowedFields
  return Object.fromEntries(Object.entries(value).filter(([key]) => !names.includes(key)))
}

/** Clients write empty resources into every container that they make. */
function isGiven(value: unknown): boolean {
  return typeof value === 'object' && value !== null
    ? Object.keys(value).length > 0
    : value !== undefined && value !== null
}
