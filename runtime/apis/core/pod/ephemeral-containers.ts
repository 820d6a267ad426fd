/** Containers that are added to a pod while it runs, to look at the others. */
import type { FieldError } from '../../../kernel/validation/field-error.ts'
import { duplicate, forbidden, notFound } from '../../types/field-errors.ts'
import type { Container, PodSpec } from '../../types/shapes.ts'
import { checkContainer } from './container-checks.ts'

/** Fields that make no sense for a container which nobody restarts, measures or schedules. */
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

interface Ephemeral extends Container {
  readonly targetContainerName?: string
  readonly resizePolicy?: object
}

/** Everything wrong with the containers that were added to look at others: names of their own, and little beside. */
export function checkEphemerals(path: string, spec: PodSpec): readonly FieldError[] {
  const given = (spec.ephemeralContainers ?? []) as readonly Ephemeral[]
  if (given.length === 0) return []
  const others = [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
  const targets = new Set(others.map(({ name }) => name))
  const names = new Set(targets)
  const volumes = new Set(spec.volumes?.map(({ name }) => name))
  return given.flatMap((container, index) => {
    const at = `${path}.ephemeralContainers[${index}]`
    const { name, targetContainerName: target } = container
    const twice = names.has(name)
    names.add(name)
    const plain = withoutDisallowed(container)
    return [
      ...(name && twice ? [duplicate(`${at}.name`, name)] : []),
      ...(target && !targets.has(target) ? [notFound(`${at}.targetContainerName`, target)] : []),
      ...disallowedFields
        .filter((field) => isGiven(container[field]))
        .map((field) => forbidden(`${at}.${field}`, disallowedMessage)),
      ...checkContainer(at, plain, { init: false, hostNetwork: false, volumes }),
    ]
  })
}

const disallowedMessage = 'cannot be set for an Ephemeral Container'

function withoutDisallowed(container: Ephemeral): Container {
  return Object.fromEntries(
    Object.entries(container).filter(
      ([field]) => !(disallowedFields as readonly string[]).includes(field),
    ),
  )
}

/** Clients write empty resources into every container that they make. */
function isGiven(value: unknown): boolean {
  return typeof value === 'object' && value !== null
    ? Object.keys(value).length > 0
    : value !== undefined && value !== null
}
