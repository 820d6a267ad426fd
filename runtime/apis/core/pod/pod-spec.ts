/** What a schema cannot say of a pod spec: that names are unique, references lead somewhere, and sizes fit. */
import {
  dnsLabelProblems,
  dnsSubdomainProblems,
  qualifiedNameProblems,
} from '../../../kernel/meta/names.ts'
import type { FieldError } from '../../../kernel/validation/field-error.ts'
import { duplicate, forbidden, invalidAll, required } from '../../types/field-errors.ts'
import { checkLabels } from '../../types/label-selectors.ts'
import type { PodSpec } from '../../types/shapes.ts'
import { checkAffinity } from './affinity.ts'
import { checkContainer } from './container-checks.ts'
import { checkDns } from './dns.ts'
import { checkEphemerals } from './ephemeral-containers.ts'
import { checkPodSecurity, checkSystem } from './security.ts'
import { checkTolerations } from './tolerations.ts'
import { checkSpread } from './topology-spread.ts'
import { checkVolumeSource } from './volume-sources.ts'

/** Everything wrong with a pod spec, in a pod or in a template. An absent container list is the schema's finding. */
export function checkPodSpec(path: string, spec: PodSpec): readonly FieldError[] {
  const empty = spec.containers === null || spec.containers?.length === 0
  return [
    ...checkVolumes(`${path}.volumes`, spec),
    ...(empty ? [required(`${path}.containers`)] : []),
    ...checkContainers(path, spec),
    ...checkEphemerals(path, spec),
    ...checkHostPorts(path, spec),
    ...checkLabels(`${path}.nodeSelector`, spec.nodeSelector),
    ...checkHostName(`${path}.hostname`, spec.hostname),
    ...checkHostName(`${path}.subdomain`, spec.subdomain),
    ...checkNames(path, spec),
    ...checkDns(path, spec),
    ...checkPodSecurity(path, spec),
    ...checkSystem(path, spec),
    ...checkTolerations(`${path}.tolerations`, spec.tolerations),
    ...checkSpread(`${path}.topologySpreadConstraints`, spec.topologySpreadConstraints),
    ...checkAffinity(`${path}.affinity`, spec.affinity),
  ]
}

/** Names of other objects, and of gates and conditions that others set. */
function checkNames(path: string, spec: PodSpec): readonly FieldError[] {
  const { nodeName, serviceAccountName, priorityClassName, schedulingGates, readinessGates } = spec
  return [
    ...checkSubdomain(`${path}.nodeName`, nodeName),
    ...checkSubdomain(`${path}.serviceAccountName`, serviceAccountName),
    ...checkSubdomain(`${path}.priorityClassName`, priorityClassName),
    ...(schedulingGates ?? []).flatMap(({ name = '' }, index) =>
      invalidAll(`${path}.schedulingGates[${index}]`, name, qualifiedNameProblems(name)),
    ),
    ...(readinessGates ?? []).flatMap(({ conditionType = '' }, index) => {
      const at = `${path}.readinessGates[${index}].conditionType`
      return invalidAll(at, conditionType, qualifiedNameProblems(conditionType))
    }),
  ]
}

function checkContainers(path: string, spec: PodSpec): readonly FieldError[] {
  const volumes = new Set(spec.volumes?.map(({ name }) => name))
  const hostNetwork = spec.hostNetwork === true
  const names = new Set<string>()
  return (['containers', 'initContainers'] as const).flatMap((field) =>
    (spec[field] ?? []).flatMap((container, index) => {
      const at = `${path}.${field}[${index}]`
      const place = { init: field === 'initContainers', hostNetwork, volumes }
      return [
        ...checkUnique(`${at}.name`, container.name, names),
        ...checkContainer(at, container, place),
      ]
    }),
  )
}

function checkVolumes(path: string, { volumes }: PodSpec): readonly FieldError[] {
  const names = new Set<string>()
  return (volumes ?? []).flatMap((volume, index) => {
    const at = `${path}[${index}]`
    const [, ...more] = Object.keys(volume).filter((key) => key !== 'name')
    const sources = more.length === 0 ? checkVolumeSource(at, volume) : []
    return [
      ...invalidAll(`${at}.name`, volume.name, volume.name ? dnsLabelProblems(volume.name) : []),
      ...checkUnique(`${at}.name`, volume.name, names),
      ...more.map((source) =>
        forbidden(`${at}.${source}`, 'may not specify more than 1 volume type'),
      ),
      ...sources,
    ]
  })
}

/** Two containers of a pod cannot have the same port of the node. */
function checkHostPorts(path: string, { containers }: PodSpec): readonly FieldError[] {
  const taken = new Set<string>()
  return (containers ?? []).flatMap(({ ports }, container) =>
    (ports ?? []).flatMap(({ hostPort, hostIP = '', protocol = 'TCP' }, index) => {
      if (!hostPort) return []
      const at = `${path}.containers[${container}].ports[${index}].hostPort`
      return checkUnique(at, `${protocol}/${hostIP}/${hostPort}`, taken)
    }),
  )
}

function checkHostName(path: string, name: string | undefined): readonly FieldError[] {
  return invalidAll(path, name, name ? dnsLabelProblems(name) : [])
}

function checkSubdomain(path: string, name: string | undefined): readonly FieldError[] {
  return invalidAll(path, name, name ? dnsSubdomainProblems(name) : [])
}

function checkUnique(
  path: string,
  name: string | undefined,
  names: Set<string>,
): readonly FieldError[] {
  if (!name) return []
  if (names.has(name)) return [duplicate(path, name)]
  names.add(name)
  return []
}
