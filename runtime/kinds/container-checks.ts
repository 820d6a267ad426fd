/** What a schema cannot say of one container. */
import type { Finding } from '../kernel/read.ts'
import { checkEnv } from './env-checks.ts'
import { duplicate, forbidden, invalid, notFound, problems, required } from './findings.ts'
import { portNameProblems } from './ports.ts'
import { checkProbes } from './probe-checks.ts'
import { checkResources } from './resource-checks.ts'
import type { Container } from './shapes.ts'

/** What a check of a container knows of its pod. */
export interface ContainerPlace {
  readonly init: boolean
  readonly hostNetwork: boolean
  readonly volumes: ReadonlySet<string | undefined>
}

/** Everything wrong with one container. */
export function checkContainer(
  path: string,
  container: Container,
  place: ContainerPlace,
): readonly Finding[] {
  return [
    ...(container.image ? [] : [required(`${path}.image`)]),
    ...checkPorts(`${path}.ports`, container, place.hostNetwork),
    ...checkEnv(`${path}.env`, container.env ?? []),
    ...checkMounts(`${path}.volumeMounts`, container, place.volumes),
    ...checkProbes(path, container),
    ...checkResources(`${path}.resources`, container.resources),
    ...checkRole(path, container, place.init),
  ]
}

function checkPorts(path: string, { ports }: Container, onHost: boolean): readonly Finding[] {
  const names = new Set<string>()
  return (ports ?? []).flatMap(({ name, hostPort = 0, containerPort }, index) => {
    const at = `${path}[${index}]`
    const twice = name !== undefined && names.has(name)
    if (name) names.add(name)
    const why = 'must match `hostPort` when `hostNetwork` is true'
    return [
      ...problems(`${at}.name`, name, name ? portNameProblems(name) : []),
      ...(twice ? [duplicate(`${at}.name`, name)] : []),
      ...(onHost && hostPort !== containerPort
        ? [invalid(`${at}.containerPort`, containerPort, why)]
        : []),
    ]
  })
}

function checkMounts(
  path: string,
  { volumeMounts }: Container,
  volumes: ContainerPlace['volumes'],
): readonly Finding[] {
  const paths = new Set<string>()
  return (volumeMounts ?? []).flatMap(({ name, mountPath }, index) => {
    const at = `${path}[${index}]`
    const twice = mountPath !== undefined && paths.has(mountPath)
    if (mountPath) paths.add(mountPath)
    return [
      ...(name && !volumes.has(name) ? [notFound(`${at}.name`, name)] : []),
      ...(twice ? [invalid(`${at}.mountPath`, mountPath, 'must be unique')] : []),
    ]
  })
}

/** Only an init container may choose to keep running; only one that does has probes and hooks. */
function checkRole(path: string, container: Container, init: boolean): readonly Finding[] {
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
