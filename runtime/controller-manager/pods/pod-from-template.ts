import type { Pod, PodTemplateSpec } from '../../../generated/apis/core/v1/pod.ts'
import type { OwnerReference } from '../../../generated/apis/meta/v1/object-meta.ts'
import type { Draft } from '../../client/client.ts'

/** The most characters that the name of a pod has. */
const longestName = 253

/** The pod that a controller is to create from a template: the server completes its name behind that of the owner. */
export function podFromTemplate(
  { metadata, spec }: PodTemplateSpec,
  owner: OwnerReference,
): Draft<Pod> {
  const { labels, annotations, finalizers } = metadata ?? {}
  const generateName = owner.name.length < longestName ? `${owner.name}-` : owner.name
  return {
    metadata: {
      generateName,
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ...(finalizers && { finalizers }),
      ownerReferences: [owner],
    },
    ...(spec && { spec }),
  }
}
