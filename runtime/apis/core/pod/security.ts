/** What the processes of a pod are allowed, as far as the parts contradict each other. */
import type { FieldError } from '../../../kernel/validation/field-error.ts'
import { duplicate, forbidden, invalid, required } from '../../types/field-errors.ts'
import type { List, PodSpec } from '../../types/shapes.ts'
import { checkNoBacksteps } from '../volume/volume-checks.ts'

interface Profile {
  readonly type?: string
  readonly localhostProfile?: string
}

export interface ContainerSecurity {
  readonly privileged?: boolean
  readonly allowPrivilegeEscalation?: boolean
  readonly capabilities?: { readonly add?: List<string>; readonly drop?: List<string> }
  readonly seccompProfile?: Profile
}

export interface PodSecurity {
  readonly sysctls?: List<{ readonly name?: string }>
  readonly seccompProfile?: Profile
}

const sysctl = /^[a-z0-9]([-_a-z0-9]*[a-z0-9])?([./][a-z0-9]([-_a-z0-9]*[a-z0-9])?)*$/

/** Everything that the security settings of a pod and its sharing of the node's namespaces say against each other. */
export function checkPodSecurity(path: string, spec: PodSpec): readonly FieldError[] {
  const { securityContext = {}, shareProcessNamespace, hostPID } = spec
  const both = shareProcessNamespace === true && hostPID === true
  const shared = 'ShareProcessNamespace and HostPID cannot both be enabled'
  const at = `${path}.securityContext`
  return [
    ...(both ? [invalid(`${path}.shareProcessNamespace`, true, shared)] : []),
    ...checkProfile(`${at}.seccompProfile`, securityContext.seccompProfile),
    ...checkSysctls(`${at}.sysctls`, securityContext.sysctls),
  ]
}

/** Everything that the security settings of one container say against each other. */
export function checkContainerSecurity(
  path: string,
  settings: ContainerSecurity | undefined,
): readonly FieldError[] {
  if (settings === undefined) return []
  const { privileged, allowPrivilegeEscalation, capabilities, seccompProfile } = settings
  const held = allowPrivilegeEscalation === false
  const admin = capabilities?.add?.includes('CAP_SYS_ADMIN') === true
  const against = (what: string) =>
    invalid(path, settings, `cannot set \`allowPrivilegeEscalation\` to false and ${what}`)
  return [
    ...checkProfile(`${path}.seccompProfile`, seccompProfile),
    ...(held && privileged === true ? [against('`privileged` to true')] : []),
    ...(held && admin ? [against('`capabilities.Add` CAP_SYS_ADMIN')] : []),
  ]
}

/** A profile of the node is named by its path below the folder of profiles; the other types have none. */
function checkProfile(path: string, profile: Profile | undefined): readonly FieldError[] {
  if (profile === undefined) return []
  const { type, localhostProfile } = profile
  const at = `${path}.localhostProfile`
  if (type !== 'Localhost') {
    const why = 'can only be set when seccomp type is Localhost'
    return localhostProfile === undefined ? [] : [invalid(at, localhostProfile, why)]
  }
  if (!localhostProfile) return [required(at, 'must be set when seccomp type is Localhost')]
  if (localhostProfile.startsWith('/')) {
    return [invalid(at, localhostProfile, 'must be a relative path')]
  }
  return checkNoBacksteps(at, localhostProfile)
}

function checkSysctls(path: string, sysctls: PodSecurity['sysctls']): readonly FieldError[] {
  const names = new Set<string>()
  return (sysctls ?? []).flatMap(({ name = '' }, index) => {
    const at = `${path}[${index}].name`
    const known = name.replaceAll('/', '.')
    const twice = names.has(known)
    names.add(known)
    if (name === '') return []
    if (name.length > 253 || !sysctl.test(name)) {
      const why = `must have at most 253 characters and match regex ${sysctl.source}`
      return [invalid(at, name, why)]
    }
    return twice ? [duplicate(at, name)] : []
  })
}

type Fields = Readonly<Record<string, unknown>>

const namespaces = ['hostPID', 'hostIPC', 'hostUsers', 'shareProcessNamespace']
const podSettings = [
  'seLinuxOptions',
  'seccompProfile',
  'fsGroup',
  'fsGroupChangePolicy',
  'sysctls',
  'runAsUser',
  'runAsGroup',
  'supplementalGroups',
]
const containerSettings = [
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
]

/** A pod that says which system it is for has no settings of the other one. */
export function checkSystem(path: string, spec: PodSpec): readonly FieldError[] {
  const name = spec.os?.name
  if (name !== 'linux' && name !== 'windows') return []
  const windows = name === 'windows'
  const why = windows
    ? 'cannot be set for a windows pod'
    : 'windows options cannot be set for a linux pod'
  const refuse = (at: string, settings: object | undefined, fields: readonly string[]) =>
    fields
      .filter((field) => (settings as Fields | undefined)?.[field] !== undefined)
      .map((field) => forbidden(`${at}.${field}`, why))
  const linux = ['windowsOptions']
  return [
    ...(windows ? refuse(path, spec, namespaces) : []),
    ...refuse(`${path}.securityContext`, spec.securityContext, windows ? podSettings : linux),
    ...(['initContainers', 'containers'] as const).flatMap((list) =>
      (spec[list] ?? []).flatMap(({ securityContext }, index) => {
        const at = `${path}.${list}[${index}].securityContext`
        return refuse(at, securityContext, windows ? containerSettings : linux)
      }),
    ),
  ]
}
