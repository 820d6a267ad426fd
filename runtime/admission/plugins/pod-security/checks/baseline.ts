/** The checks of the level baseline, which forbids known ways out of a container. */

import { quoted } from '../../../../kernel/values/quoted.ts'
import type { Check, CheckPod } from './check.ts'
import { namesWhere } from './check.ts'
import { containersNamed, plural, podAndContainers, quotedList, sortedUnique } from './wording.ts'

/** The capabilities that container runtimes grant by default, so that adding them changes nothing. */
const defaultCapabilities = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
])

const appArmorPrefix = 'container.apparmor.security.beta.'

/** True for a profile that is loaded on the node: `localhost/name`. */
function isLocal(profile: string): boolean {
  return profile.startsWith('localhost/')
}

/** AppArmor profiles, as annotations of containers, may only be the runtime's default or one of the node. */
const appArmor: CheckPod = ({ metadata }) => {
  const wrong = Object.entries(metadata.annotations ?? {}).filter(
    ([key, value]) =>
      key.startsWith(appArmorPrefix) &&
      value !== '' &&
      value !== 'runtime/default' &&
      !isLocal(value),
  )
  if (wrong.length === 0) return undefined
  const shown = sortedUnique(wrong.map(([key, value]) => `${key}=${quoted(value)}`))
  return {
    reason: plural('forbidden AppArmor profile', 'forbidden AppArmor profiles', wrong.length),
    detail: shown.join(', '),
  }
}

/** Containers may not add capabilities beyond the default ones. */
const capabilities: CheckPod = (pod) => {
  const bad = new Set<string>()
  const names = namesWhere(pod, ({ securityContext }) => {
    const added = securityContext?.capabilities?.add ?? []
    const wrong = added.filter((one) => !defaultCapabilities.has(one))
    for (const one of wrong) bad.add(one)
    return wrong.length > 0
  })
  if (names.length === 0) return undefined
  return {
    reason: 'non-default capabilities',
    detail: `${containersNamed(names)} must not include ${quotedList(sortedUnique(bad))} in securityContext.capabilities.add`,
  }
}

/** Pods may not share the network, process or IPC namespace of their node. */
const hostNamespaces: CheckPod = ({ spec }) => {
  const used = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((one) => spec[one])
  if (used.length === 0) return undefined
  return { reason: 'host namespaces', detail: used.map((one) => `${one}=true`).join(', ') }
}

/** Pods may not mount directories of their node. */
const hostPaths: CheckPod = ({ spec }) => {
  const names = (spec.volumes ?? []).filter(({ hostPath }) => hostPath).map(({ name }) => name)
  if (names.length === 0) return undefined
  const detail = `${plural('volume', 'volumes', names.length)} ${quotedList(names)}`
  return { reason: 'hostPath volumes', detail }
}

/** Containers may not take ports of their node. */
const hostPorts: CheckPod = (pod) => {
  const ports = new Set<string>()
  const names = namesWhere(pod, (container) => {
    const own = (container.ports ?? []).flatMap(({ hostPort }) => (hostPort ? [`${hostPort}`] : []))
    for (const one of own) ports.add(one)
    return own.length > 0
  })
  if (names.length === 0) return undefined
  const uses = plural('uses', 'use', names.length)
  const port = plural('hostPort', 'hostPorts', ports.size)
  return {
    reason: 'hostPort',
    detail: `${containersNamed(names)} ${uses} ${port} ${sortedUnique(ports).join(', ')}`,
  }
}

/** Containers may not run privileged, which switches off most of the isolation. */
const privileged: CheckPod = (pod) => {
  const names = namesWhere(pod, ({ securityContext }) => securityContext?.privileged === true)
  if (names.length === 0) return undefined
  const detail = `${containersNamed(names)} must not set securityContext.privileged=true`
  return { reason: 'privileged', detail }
}

/** Containers may not have an unmasked `/proc`. */
const procMount: CheckPod = (pod) => {
  const bad = new Set<string>()
  const names = namesWhere(pod, ({ securityContext }) => {
    const mount = securityContext?.procMount ?? 'Default'
    if (mount !== 'Default') bad.add(mount)
    return mount !== 'Default'
  })
  if (names.length === 0) return undefined
  return {
    reason: 'procMount',
    detail: `${containersNamed(names)} must not set securityContext.procMount to ${quotedList(sortedUnique(bad))}`,
  }
}

/** The SELinux types for containers; the empty one is the runtime's default. */
const linuxTypes = ['', 'container_t', 'container_init_t', 'container_kvm_t']

/** SELinux options may only choose a type for containers, never a user or role. */
const seLinux: CheckPod = (pod) => {
  const types = new Set<string>()
  let [user, role] = [false, false]
  const isBad = (options: { type?: string; user?: string; role?: string } | undefined) => {
    const [badType, badUser, badRole] = [
      !linuxTypes.includes(options?.type ?? ''),
      Boolean(options?.user),
      Boolean(options?.role),
    ]
    if (badType) types.add(options?.type ?? '')
    user ||= badUser
    role ||= badRole
    return badType || badUser || badRole
  }
  const whole = isBad(pod.spec.securityContext?.seLinuxOptions)
  const names = namesWhere(pod, ({ securityContext }) => isBad(securityContext?.seLinuxOptions))
  if (!whole && names.length === 0) return undefined
  const wrong = [
    ...(types.size > 0
      ? [`${plural('type', 'types', types.size)} ${quotedList(sortedUnique(types))}`]
      : []),
    ...(user ? ['user may not be set'] : []),
    ...(role ? ['role may not be set'] : []),
  ]
  return {
    reason: 'seLinuxOptions',
    detail: `${podAndContainers(whole, names)} set forbidden securityContext.seLinuxOptions: ${wrong.join('; ')}`,
  }
}

const seccompOfPod = /^seccomp\.security\.alpha\.[a-z.]+\/pod$/
const seccompOfContainer = /^container\.seccomp\.security\.alpha\.[a-z.]+\/(.+)$/

/** Before 1.19 seccomp profiles were annotations: of the pod, and of each container by its name. */
const seccompAnnotations: CheckPod = ({ metadata, containers }) => {
  const wrong = Object.entries(metadata.annotations ?? {}).filter(([key, value]) => {
    const name = seccompOfContainer.exec(key)?.[1]
    const applies = seccompOfPod.test(key) || containers.some((one) => one.name === name)
    const isAllowed = ['runtime/default', 'docker/default'].includes(value) || isLocal(value)
    return applies && !isAllowed
  })
  if (wrong.length === 0) return undefined
  const shown = sortedUnique(wrong.map(([key, value]) => `${key}=${JSON.stringify(value)}`))
  const what = plural('annotation', 'annotations', wrong.length)
  return { reason: 'seccompProfile', detail: `forbidden ${what} ${shown.join(', ')}` }
}

/** Since 1.19 seccomp profiles are fields; they may not be `Unconfined`. */
const seccomp: CheckPod = (pod) => {
  const bad = new Set<string>()
  const isBad = (type: string | undefined) => {
    if (type === 'Unconfined') bad.add(type)
    return type === 'Unconfined'
  }
  const whole = isBad(pod.spec.securityContext?.seccompProfile?.type)
  const names = namesWhere(pod, (one) => isBad(one.securityContext?.seccompProfile?.type))
  if (bad.size === 0) return undefined
  return {
    reason: 'seccompProfile',
    detail: `${podAndContainers(whole, names)} must not set securityContext.seccompProfile.type to ${quotedList(sortedUnique(bad))}`,
  }
}

/** Sysctls that are namespaced and harmless, by the release that allowed them. */
const sysctls1 = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.ping_group_range',
  'net.ipv4.tcp_syncookies',
]
const sysctls27 = [...sysctls1, 'net.ipv4.ip_local_reserved_ports']
const sysctls29 = [
  ...sysctls27,
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
  'net.ipv4.tcp_keepalive_time',
]

/** Pods may only set sysctls that are namespaced and considered safe in the release. */
function sysctls(allowed: readonly string[]): CheckPod {
  return ({ spec }) => {
    const names = (spec.securityContext?.sysctls ?? []).map(({ name }) => name)
    const wrong = names.filter((name) => !allowed.includes(name))
    if (wrong.length === 0) return undefined
    return { reason: 'forbidden sysctls', detail: wrong.join(', ') }
  }
}

/** Windows containers may not run as processes of their node. */
const hostProcess: CheckPod = (pod) => {
  const whole = pod.spec.securityContext?.windowsOptions?.hostProcess === true
  const names = namesWhere(pod, (one) => one.securityContext?.windowsOptions?.hostProcess === true)
  if (!whole && names.length === 0) return undefined
  const detail = `${podAndContainers(whole, names)} must not set securityContext.windowsOptions.hostProcess=true`
  return { reason: 'hostProcess', detail }
}

/** A check that has not changed since the first release. */
function since0(id: string, check: CheckPod): Check {
  return { id, level: 'baseline', versions: [{ since: 0, check }] }
}

/** The checks in the order of their violations. */
export const baseline: readonly Check[] = [
  since0('appArmorProfile', appArmor),
  since0('capabilities_baseline', capabilities),
  since0('hostNamespaces', hostNamespaces),
  since0('hostPathVolumes', hostPaths),
  since0('hostPorts', hostPorts),
  since0('privileged', privileged),
  since0('procMount', procMount),
  since0('seLinuxOptions', seLinux),
  {
    id: 'seccompProfile_baseline',
    level: 'baseline',
    versions: [
      { since: 0, check: seccompAnnotations },
      { since: 19, check: seccomp },
    ],
  },
  {
    id: 'sysctls',
    level: 'baseline',
    versions: [
      { since: 0, check: sysctls(sysctls1) },
      { since: 27, check: sysctls(sysctls27) },
      { since: 29, check: sysctls(sysctls29) },
    ],
  },
  since0('windowsHostProcess', hostProcess),
]
