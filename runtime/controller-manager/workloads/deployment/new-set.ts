import type { Deployment } from '../../../../generated/apis/apps/v1/deployment.ts'
import type { LabelSelector } from '../../../../generated/apis/meta/v1/label-selector.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { ownedBy } from '../../../reconcile/reconcile.ts'
import { type PlannedSet, plannedSet, scaled, withSizes } from './planned-sets.ts'
import { type RevisionKeys, withRevision } from './revisions.ts'
import { newSize } from './rolling.ts'
import { hashLabel, templateHash } from './template-hash.ts'

/** The set that the template of a deployment asks for, of the size that it may have beside the old ones. */
export function newSet(
  deployment: Stored<Deployment>,
  old: readonly PlannedSet[],
  revision: number,
  keys: RevisionKeys,
): PlannedSet {
  const { name, namespace } = deployment.metadata
  const { template = {}, selector, minReadySeconds = 0 } = deployment.spec ?? {}
  const hash = templateHash(template, deployment.status?.collisionCount)
  const labels = { ...template.metadata?.labels, [hashLabel]: hash }
  const set = plannedSet({
    ...{ kind: 'ReplicaSet', apiVersion: 'apps/v1' },
    metadata: {
      ...{ name: `${name}-${hash}`, namespace, labels },
      ownerReferences: [ownedBy(deployment)],
    },
    spec: {
      ...{ replicas: 0, minReadySeconds },
      selector: withLabel(selector, hash),
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  })
  set.annotations = withRevision({}, deployment.metadata.annotations, revision, keys)
  set.annotations = withSizes(set.annotations, deployment, keys)
  set.replicas = newSize(deployment, set, old)
  if (set.replicas > 0)
    set.events.push(scaled(`Scaled up replica set ${set.name} to ${set.replicas}`))
  return set
}

function withLabel(selector: LabelSelector | undefined, hash: string): LabelSelector {
  return { ...selector, matchLabels: { ...selector?.matchLabels, [hashLabel]: hash } }
}
