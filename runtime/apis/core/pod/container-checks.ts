/** What a schema cannot say of one container. */
import { dnsLabelProblems } from '../../../kernel/meta/names.ts'
import type { FieldError } from '../../../kernel/validation/field-error.ts'
import { duplicate, forbidden, invalid, invalidAll, required } from '../../types/field-errors.ts'
import { portNameProblems } from '../../types/ports.ts'
import type { Container } from '../../types/shapes.ts'
import { checkDevices, checkMounts } from './container-volumes.ts'
import { checkEnv, checkEnvFrom } from './env-checks.ts'
import { checkHooks, checkProbes } from './probe-checks.ts'
import { checkResources } from './resource-checks.ts'
import { checkContainerSecurity } from './security.ts'

/** What a check of a container knows of its pod. */
export interface ContainerContext {
  readonly init: boolean
  readonly hostNetwork: boolean
  readonly volumes: ReadonlySet<string | undefined>
}

/** Everything wrong with one container. */
export function checkContainer(
  path: string,
  container: Container,
  place: ContainerContext,
): readonly FieldError[] {
  const { name, env, envFrom, resources, lifecycle, securityContext } = container
  return [
    ...invalidAll(`${path}.name`, name, name ? dnsLabelProblems(name) : []),
    ...checkImage(`${path}.image`, container.image),
    ...checkPorts(`${path}.ports`, container, place.hostNetwork),
    ...checkEnv(`${path}.env`, env ?? []),
    ...checkEnvFrom(`${path}.envFrom`, envFrom),
    ...checkMounts(`${path}.volumeMounts`, container, place.volumes),
    ...checkDevices(`${path}.volumeDevices`, container, place.volumes),
    ...checkHooks(`${path}.lifecycle`, lifecycle),
    ...checkProbes(path, container),
    ...checkResources(`${path}.resources`, resources),
    ...checkContainerSecurity(`${path}.securityContext`, securityContext),
    ...checkRole(path, container, place.init),
  ]
}

function checkImage(path: string, image: string | undefined): readonly FieldError[] {
  if (!image) return [required(path)]
  if (image === image.trim()) return []
  return [invalid(path, image, 'must not have leading or trailing whitespace')]
}

function checkPorts(path: string, { ports }: Container, onHost: boolean): readonly FieldError[] {
  const names = new Set<string>()
  return (ports ?? []).flatMap(({ name, hostPort = 0, containerPort }, index) => {
    const at = `${path}[${index}]`
    const twice = name !== undefined && names.has(name)
    if (name) names.add(name)
    const why = 'must match `hostPort` when `hostNetwork` is true'
    return [
      ...invalidAll(`${at}.name`, name, name ? portNameProblems(name) : []),
      ...(twice ? [duplicate(`${at}.name`, name)] : []),
      ...(onHost && hostPort !== containerPort
        ? [invalid(`${at}.containerPort`, containerPort, why)]
        : []),
    ]
  })
}

/** Only an init container may choose to keep running; only one that does has probes and hooks. */
function checkRole(path: string, container: Container, init: boolean): readonly FieldError[] {
  const { restartPolicy } = container
  if (!init) {
    const why = 'may not be set for non-init containers'
    return restartPolicy === undefined ? [] : [forbidden(`${path}.restartPolicy`, why)]
  }
  if (restartPolicy === 'Always') return []
  const why = 'may not be set for init containers without restartPolicy=Always'
  return (['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const)
    .filter((field) => container[field] !== undefined)
    .map((field) => forbidden(`${path}.${field}`, why))
}
