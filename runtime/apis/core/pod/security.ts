import type { PodSpec } from '../../../../generated/apis/core/v1/pod.ts'
import type {
  PodSecurityContext,
  SeccompProfile,
  SecurityContext,
} from '../../../../generated/apis/core/v1/security.ts'
import { backstepProblems } from '../../../kernel/meta/file-paths.ts'
import { valueAtPath } from '../../../kernel/values/dotted-path.ts'
import type { Check, Field } from '../../../kernel/walker/field.ts'

const sysctl = /^[a-z0-9]([-_a-z0-9]*[a-z0-9])?([./][a-z0-9]([-_a-z0-9]*[a-z0-9])?)*$/

/** The same as public servers write it, which is not how it may be matched: it goes back and forth. */
const toldSysctl = '^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$'

/** What the security settings of a pod and its sharing of the node's namespaces say against each other. */
export function checkPodSecurity(spec: Field<PodSpec>) {
  const { shareProcessNamespace, hostPID } = spec.value
  if (shareProcessNamespace === true && hostPID === true) {
    const why = 'ShareProcessNamespace and HostPID cannot both be enabled'
    spec.invalid('securityContext.shareProcessNamespace', why, true)
  }
  const context = spec.child('securityContext')
  context.visit('seccompProfile', 'windowsOptions')
  checkSysctls(context)
}

/** What the security settings of one container say against each other. */
export const securityContext: Check<SecurityContext> = (context) => {
  const { privileged, allowPrivilegeEscalation, capabilities } = context.value
  context.visit('seccompProfile', 'windowsOptions')
  if (allowPrivilegeEscalation !== false) return
  const refuse = (what: string) =>
    context.invalid('', `cannot set \`allowPrivilegeEscalation\` to false and ${what}`)
  if (privileged === true) refuse('`privileged` to true')
  if (capabilities?.add?.includes('CAP_SYS_ADMIN')) refuse('`capabilities.Add` CAP_SYS_ADMIN')
}

/** A profile of the node is named by its path below the folder of profiles; the other types have none. */
export const seccompProfile: Check<SeccompProfile> = (profile) => {
  const { type, localhostProfile: file } = profile.value
  if (type !== 'Localhost') {
    if (file === undefined) return
    const why = 'can only be set when seccomp type is Localhost'
    return profile.invalid('localhostProfile', why)
  }
  if (!file) {
    return profile.required('localhostProfile', 'must be set when seccomp type is Localhost')
  }
  const relative = file.startsWith('/') ? ['must be a relative path'] : backstepProblems(file)
  profile.invalidAll('localhostProfile', relative)
}

/**
 * A slash and a dot are the same, so `net/core` and `net.core` are one name. An absent name is the
 * business of the schema.
 */
function checkSysctls(context: Field<PodSecurityContext>): void {
  const names = new Set<string>()
  context.each('sysctls', (field) => {
    const { name = '' } = field.value
    const dotted = name.replaceAll('/', '.')
    const repeated = names.has(dotted)
    names.add(dotted)
    if (name === '') return
    if (name.length > 253 || !sysctl.test(name)) {
      field.invalid('name', `must have at most 253 characters and match regex ${toldSysctl}`)
    } else if (repeated) field.duplicate('name')
  })
}

/** What a pod for Windows may not say, in the order of telling. */
const podSettings = (
  'securityContext.seLinuxOptions hostUsers hostPID hostIPC securityContext.seccompProfile securityContext.fsGroup ' +
  'securityContext.fsGroupChangePolicy securityContext.sysctls shareProcessNamespace securityContext.runAsUser ' +
  'securityContext.runAsGroup securityContext.supplementalGroups'
).split(' ')
const containerSettings = (
  'seLinuxOptions seccompProfile capabilities readOnlyRootFilesystem privileged ' +
  'allowPrivilegeEscalation procMount runAsUser runAsGroup'
).split(' ')

/**
 * A pod that names its operating system has no settings of the other one.
 * Each field of the other system is an error by itself, after all else: of the pod first, then of init containers,
 * of containers, and of those for debugging.
 */
export function checkSystem(spec: Field<PodSpec>): void {
  const name = spec.value.os?.name
  if (name !== 'linux' && name !== 'windows') return
  const windows = name === 'windows'
  const why = windows
    ? 'cannot be set for a windows pod'
    : 'windows options cannot be set for a linux pod'
  const refuse = <T>(field: Field<T>, keys: readonly string[]) => {
    for (const key of keys) if (isSaid(field.value, key)) field.forbidden(key as never, why)
  }
  spec.afterwards(() => {
    refuse(spec, windows ? podSettings : ['securityContext.windowsOptions'])
    for (const list of ['initContainers', 'containers', 'ephemeralContainers'] as const) {
      spec.each(list, (container) =>
        refuse(
          container.child('securityContext'),
          windows ? containerSettings : ['windowsOptions'],
        ),
      )
    }
  })
}

/** True for a field with a value; no namespace of the node is shared, and no kernel setting made, by saying so. */
function isSaid(struct: unknown, path: string): boolean {
  const value = valueAtPath(struct, path)
  if (path === 'hostPID' || path === 'hostIPC') return value === true
  return value !== undefined && !(Array.isArray(value) && value.length === 0)
}
