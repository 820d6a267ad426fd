import type { PodSpec } from '../../../../generated/apis/core/v1/pod.ts'
import type { Field } from '../../../kernel/walker/field.ts'
import { checkContainer } from './container.ts'
import type { VolumesByName } from './container-volumes.ts'

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
 * container that is debugged is one of the others.
 */
export function checkEphemerals(spec: Field<PodSpec>, volumes: VolumesByName): void {
  const { containers, initContainers } = spec.value
  const others = [...(containers ?? []), ...(initContainers ?? [])]
  const targets = new Set(others.map(({ name }) => name))
  const names = new Set<unknown>(targets)
  spec.each('ephemeralContainers', (container) => {
    const { targetContainerName: target } = container.value
    checkContainer(container, { role: 'ephemeral', volumes })
    container.distinct('name', names)
    if (target && !targets.has(target)) container.notFound('targetContainerName')
    for (const key of disallowedFields) {
      if (isGiven(key, container.value[key])) container.forbidden(key, notHere)
    }
    container.afterwards(() =>
      container.each('volumeMounts', (mount) => {
        for (const key of ['subPath', 'subPathExpr'] as const) {
          if (mount.value[key]) mount.forbidden(key, notHere)
        }
      }),
    )
  })
}

const notHere = 'cannot be set for an Ephemeral Container'

/** Clients write empty resources into every container that they make; an empty list is none. */
function isGiven(key: (typeof disallowedFields)[number], value: unknown): boolean {
  if (value === undefined || value === null) return false
  return key === 'resources' || Array.isArray(value) ? Object.keys(value).length > 0 : true
}
