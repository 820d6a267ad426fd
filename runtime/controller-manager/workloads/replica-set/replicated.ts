import type { ReplicaSet } from '../../../../generated/apis/apps/v1/replica-set.ts'
import type { PodTemplateSpec } from '../../../../generated/apis/core/v1/pod.ts'
import type { ReplicationController } from '../../../../generated/apis/core/v1/replication-controller.ts'
import type { LabelSelectorFields } from '../../../kernel/meta/label-selector.ts'
import type { Stored } from '../../../kernel/meta/object.ts'

/** What keeps a number of equal pods running. */
export type Replicated = ReplicaSet | ReplicationController

/** What either kind asks for. */
export interface WantedReplicas {
  readonly replicas: number
  readonly minReadySeconds: number
  readonly selector: LabelSelectorFields | undefined
  readonly template: PodTemplateSpec
}

/** What an object of either kind asks for. */
export function wantedOf({ kind, spec }: Stored<Replicated>): WantedReplicas {
  const { replicas = 1, minReadySeconds = 0, template = {}, selector } = spec ?? {}
  const common = { replicas, minReadySeconds, template }
  if (kind === 'ReplicaSet') return { ...common, selector: selector as LabelSelectorFields }
  const matchLabels = selector as Readonly<Record<string, string>> | undefined
  return { ...common, selector: matchLabels && { matchLabels } }
}
