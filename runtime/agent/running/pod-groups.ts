/** The control groups of pods: one for each, below one for those of its quality. */
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type { ControlGroups } from '../../container-runtime/container-runtime.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { qosClassOf, specOf } from '../../pods/pods.ts'
import { type LimitSettings, podLimits } from '../containers/resources.ts'

/** Where pods of a node are limited. */
export interface PodGroups {
  /** The path of the group of a pod. */
  of(pod: Stored<Pod>): string
  /** Makes the group of a pod, with its limits. */
  make(pod: Stored<Pod>): void
  remove(pod: Stored<Pod>): void
}

export interface PodGroupOptions {
  readonly groups: ControlGroups
  /** The group above all. */
  readonly root: string
  readonly limits: LimitSettings
  /** How many processes a pod may have; undefined for as many as it likes. */
  readonly processes: number | undefined
}

/** The groups of pods on this machine. */
export function podGroups({ groups, root, limits, processes }: PodGroupOptions): PodGroups {
  const made = new Map<string, string>()
  const pathOf = ({ metadata, spec, status }: Stored<Pod>) => {
    const quality = (status?.qosClass ?? qosClassOf(spec ?? { containers: [] })).toLowerCase()
    const level = quality === 'guaranteed' ? root : `${root}/${quality}`
    return `${level}/pod${metadata.uid}`
  }
  return {
    of: (pod) => made.get(pod.metadata.uid) ?? pathOf(pod),
    make(pod) {
      const path = pathOf(pod)
      groups.make(`${root}/besteffort`, { cpuShares: 2 })
      groups.make(path, {
        ...podLimits(specOf(pod), limits),
        ...(processes !== undefined && { processes }),
      })
      made.set(pod.metadata.uid, path)
    },
    remove(pod) {
      groups.remove(made.get(pod.metadata.uid) ?? pathOf(pod))
      made.delete(pod.metadata.uid)
    },
  }
}
