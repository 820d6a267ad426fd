/** The checks of the level restricted, which demands what hardens a pod beyond baseline. */

import { type Check, type CheckPod, isWindows, namesWhere } from './check.ts'
import { containersNamed, plural, podAndContainers, quotedList, sortedUnique } from './wording.ts'

/**
 * Containers have to forbid the escalation of privileges explicitly. An absent field counts as
 * allowing it: the default of runtimes is to allow.
 */
const escalation: CheckPod = (pod) => {
  const names = namesWhere(
    pod,
    ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false,
  )
  if (names.length === 0) return undefined
  return {
    reason: 'allowPrivilegeEscalation != false',
    detail: `${containersNamed(names)} must set securityContext.allowPrivilegeEscalation=false`,
  }
}

/** Containers have to drop all capabilities, and may add back NET_BIND_SERVICE only. */
const capabilities: CheckPod = (pod) => {
  const bad = new Set<string>()
  const keeping = namesWhere(
    pod,
    ({ securityContext }) => !(securityContext?.capabilities?.drop ?? []).includes('ALL'),
  )
  const adding = namesWhere(pod, ({ securityContext }) => {
    const added = securityContext?.capabilities?.add ?? []
    const wrong = added.filter((one) => one !== 'NET_BIND_SERVICE')
    for (const one of wrong) bad.add(one)
    return wrong.length > 0
  })
  const details = [
    ...(keeping.length > 0
      ? [`${containersNamed(keeping)} must set securityContext.capabilities.drop=["ALL"]`]
      : []),
    ...(adding.length > 0
      ? [
          `${containersNamed(adding)} must not include ${quotedList(sortedUnique(bad))} in securityContext.capabilities.add`,
        ]
      : []),
  ]
  if (details.length === 0) return undefined
  return { reason: 'unrestricted capabilities', detail: details.join('; ') }
}

/** Volume types that hold nothing of the node. */
const allowedVolumes = new Set([
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
])

/**
 * Pods may only have volumes that hold nothing of the node. A volume without a known type counts as
 * restricted. A volume with several sources passes with one that is allowed: that a volume has one
 * source is for the validation to say.
 */
const volumes: CheckPod = ({ spec }) => {
  const types = new Set<string>()
  const names: string[] = []
  for (const { name, ...source } of spec.volumes ?? []) {
    const set = Object.entries(source).flatMap(([type, value]) => (value ? [type] : []))
    if (set.some((type) => allowedVolumes.has(type))) continue
    names.push(name)
    types.add(set[0] ?? 'unknown')
  }
  if (names.length === 0) return undefined
  const [volume, uses] = [
    plural('volume', 'volumes', names.length),
    plural('uses', 'use', names.length),
  ]
  const type = plural('type', 'types', types.size)
  return {
    reason: 'restricted volume types',
    detail: `${volume} ${quotedList(names)} ${uses} restricted volume ${type} ${quotedList(sortedUnique(types))}`,
  }
}

/**
 * Containers have to run as a user other than root: by a field of their own, or by that of the pod.
 * A container that says false is reported first, even if others say nothing; a container that says
 * nothing has the value of the pod.
 */
const nonRoot: CheckPod = (pod) => {
  const whole = pod.spec.securityContext?.runAsNonRoot
  const set = (name: boolean | undefined) =>
    namesWhere(pod, ({ securityContext }) => (securityContext?.runAsNonRoot ?? undefined) === name)
  const [wrong, silent] = [set(false), whole === true ? [] : set(undefined)]
  const bad = podAndContainers(whole === false, wrong)
  if (bad !== '') {
    return {
      reason: 'runAsNonRoot != true',
      detail: `${bad} must not set securityContext.runAsNonRoot=false`,
    }
  }
  if (silent.length === 0) return undefined
  return {
    reason: 'runAsNonRoot != true',
    detail: `pod or ${containersNamed(silent)} must set securityContext.runAsNonRoot=true`,
  }
}

/** Neither pod nor containers may run as user 0. */
const user: CheckPod = (pod) => {
  const whole = pod.spec.securityContext?.runAsUser === 0
  const names = namesWhere(pod, ({ securityContext }) => securityContext?.runAsUser === 0)
  if (!whole && names.length === 0) return undefined
  return {
    reason: 'runAsUser=0',
    detail: `${podAndContainers(whole, names)} must not set runAsUser=0`,
  }
}

const profiles = ['RuntimeDefault', 'Localhost']

/** Every container needs a seccomp profile, of its own or of the pod: the runtime's default or one of the node. */
const seccomp: CheckPod = (pod) => {
  const bad = new Set<string>()
  const isBad = (type: string | undefined) => {
    const wrong = type !== undefined && !profiles.includes(type)
    if (wrong) bad.add(type)
    return wrong
  }
  const own = pod.spec.securityContext?.seccompProfile?.type
  const whole = isBad(own)
  const names = namesWhere(pod, (one) => isBad(one.securityContext?.seccompProfile?.type))
  if (bad.size > 0) {
    return {
      reason: 'seccompProfile',
      detail: `${podAndContainers(whole, names)} must not set securityContext.seccompProfile.type to ${quotedList(sortedUnique(bad))}`,
    }
  }
  if (own !== undefined) return undefined
  const silent = namesWhere(pod, (one) => one.securityContext?.seccompProfile?.type === undefined)
  if (silent.length === 0) return undefined
  return {
    reason: 'seccompProfile',
    detail: `pod or ${containersNamed(silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  }
}

/** Since 1.25 pods for Windows need not set fields without meaning there. */
function exceptWindows(check: CheckPod): CheckPod {
  return (pod) => (isWindows(pod) ? undefined : check(pod))
}

/** The checks in the order of their violations. */
export const restricted: readonly Check[] = [
  {
    id: 'allowPrivilegeEscalation',
    level: 'restricted',
    versions: [
      { since: 8, check: escalation },
      { since: 25, check: exceptWindows(escalation) },
    ],
  },
  {
    id: 'capabilities_restricted',
    level: 'restricted',
    replacedBaselineChecks: ['capabilities_baseline'],
    versions: [
      { since: 22, check: capabilities },
      { since: 25, check: exceptWindows(capabilities) },
    ],
  },
  {
    id: 'restrictedVolumes',
    level: 'restricted',
    replacedBaselineChecks: ['hostPathVolumes'],
    versions: [{ since: 0, check: volumes }],
  },
  { id: 'runAsNonRoot', level: 'restricted', versions: [{ since: 0, check: nonRoot }] },
  { id: 'runAsUser', level: 'restricted', versions: [{ since: 23, check: user }] },
  {
    id: 'seccompProfile_restricted',
    level: 'restricted',
    replacedBaselineChecks: ['seccompProfile_baseline'],
    versions: [
      { since: 19, check: seccomp },
      { since: 25, check: exceptWindows(seccomp) },
    ],
  },
]
