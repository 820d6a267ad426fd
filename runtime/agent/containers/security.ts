/** Whom the program of a container runs as, and what it may. */
import { isAbsolute, join, normalize } from 'node:path'
import type { Container } from '../../../generated/apis/core/v1/container.ts'
import type { PodSpec } from '../../../generated/apis/core/v1/pod.ts'
import type { SeccompProfile as Asked } from '../../../generated/apis/core/v1/security.ts'
import type {
  ContainerConfig,
  ContainerUser,
  SeccompProfile,
} from '../../container-runtime/container-runtime.ts'
import { ConfigError } from './config-error.ts'

/** What a node says of containers that say nothing. */
export interface SecurityDefaults {
  /** Whether calls of the kernel are filtered as the runtime does. */
  readonly seccomp: boolean
  /** Where filters of the node stand. */
  readonly seccompFolder: string
}

type Secured = Pick<Container, 'securityContext'>

/** What the security settings of a pod and its container come to. @throws ConfigError for what contradicts itself. */
export function securityOf(
  spec: PodSpec,
  container: Secured,
  defaults: SecurityDefaults,
): Pick<ContainerConfig, 'user' | 'privileged' | 'seccomp' | 'seesAllOfProc' | 'readonlyRoot'> {
  const { securityContext: own = {} } = container
  const asked = own.seccompProfile ?? spec.securityContext?.seccompProfile
  const seccomp = seccompOf(asked, defaults)
  return {
    user: userOf(spec, container),
    readonlyRoot: own.readOnlyRootFilesystem === true,
    ...(own.privileged && { privileged: true }),
    seccomp,
    ...(own.procMount === 'Unmasked' && { seesAllOfProc: true }),
  }
}

function userOf(
  { securityContext: all = {} }: PodSpec,
  { securityContext: own = {} }: Secured,
): ContainerUser {
  const uid = own.runAsUser ?? all.runAsUser
  const gid = own.runAsGroup ?? all.runAsGroup
  if ((own.runAsNonRoot ?? all.runAsNonRoot) && (uid ?? 0) === 0) {
    throw new ConfigError(
      uid === undefined
        ? 'container has runAsNonRoot and image will run as root'
        : "container's runAsUser breaks non-root policy",
    )
  }
  const groups = [...(all.supplementalGroups ?? []), ...(all.fsGroup ? [all.fsGroup] : [])]
  const { add = [], drop = [] } = own.capabilities ?? {}
  return {
    ...(uid !== undefined && { uid: Number(uid) }),
    ...(gid !== undefined && { gid: Number(gid) }),
    ...(groups.length > 0 && { supplementalGroups: groups.map(Number) }),
    ...(own.allowPrivilegeEscalation === false && { noNewPrivileges: true }),
    ...(add.length > 0 && { addsCapabilities: add }),
    ...(drop.length > 0 && { dropsCapabilities: drop }),
  }
}

function seccompOf(
  asked: Asked | undefined,
  { seccomp, seccompFolder }: SecurityDefaults,
): SeccompProfile {
  const type = asked?.type ?? (seccomp ? 'RuntimeDefault' : 'Unconfined')
  if (type !== 'Localhost') return type === 'RuntimeDefault' ? 'RuntimeDefault' : 'Unconfined'
  const name = normalize(asked?.localhostProfile ?? '')
  if (name === '.' || isAbsolute(name) || name.startsWith('..')) {
    throw new ConfigError(`seccomp profile ${JSON.stringify(name)} leads out of its folder`)
  }
  return { file: join(seccompFolder, name) }
}
