/** What a pod still needs: claims of its templates, a node for them, and to be let in by them. */
import type {
  Pod,
  PodResourceClaim,
  PodResourceClaimStatus,
} from '../../../generated/apis/core/v1/pod.ts'
import type { PodSchedulingContext } from '../../../generated/apis/resource/v1alpha2/pod-scheduling-context.ts'
import type { ResourceClaim } from '../../../generated/apis/resource/v1alpha2/resource-claim.ts'
import type { ResourceClaimTemplate } from '../../../generated/apis/resource/v1alpha2/resource-claim-template.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { ownedBy } from '../../reconcile/reconcile.ts'
import { claimNameOf, isDone, isMadeFor } from './claim-names.ts'

/** What a pod is seen with. */
export interface SeenPod {
  readonly pod: Stored<Pod>
  readonly claimOf: (name: string) => Stored<ResourceClaim> | undefined
  /** The claims that were made for it. */
  readonly made: readonly Stored<ResourceClaim>[]
  readonly templateOf: (name: string) => Stored<ResourceClaimTemplate> | undefined
  readonly context: Stored<PodSchedulingContext> | undefined
  /** The annotation of a claim that names the entry it was made for. */
  readonly annotation: string
  /** What a template is called in messages: `resourceclaimtemplate.<group>`. */
  readonly template: string
}

/** A claim that is to be made. */
export type NewClaim = Pick<ResourceClaim, 'spec'> & { readonly metadata: object }

/** What is to be done, the first that there is. */
export type PodPlan =
  | { readonly is: 'nothing' }
  /** An entry cannot have its claim. */
  | { readonly is: 'wrong'; readonly entry: string; readonly problem: string }
  /** Claims are to be made, and the pod is to say which. */
  | {
      readonly is: 'claims'
      readonly create: readonly { readonly entry: string; readonly claim: NewClaim }[]
      readonly known: readonly PodResourceClaimStatus[]
    }
  /** Drivers are to be told on which node claims are needed. */
  | { readonly is: 'schedule'; readonly node: string }
  /** Claims are to let the pod in. */
  | { readonly is: 'reserve'; readonly claims: readonly Stored<ResourceClaim>[] }

const nothing: PodPlan = { is: 'nothing' }

/** What is to be done for a pod. */
export function decidePod(seen: SeenPod): PodPlan {
  const { pod } = seen
  if (pod.metadata.deletionTimestamp !== undefined || isDone(pod)) return nothing
  return decideClaims(seen) ?? (pod.spec?.nodeName ? decideUse(seen) : nothing)
}

function decideClaims(seen: SeenPod): PodPlan | undefined {
  const { pod, made, annotation } = seen
  const create: { entry: string; claim: NewClaim }[] = []
  const found: PodResourceClaimStatus[] = []
  for (const entry of pod.spec?.resourceClaims ?? []) {
    const { name, source } = entry
    const wrong = (problem: string): PodPlan => ({ is: 'wrong', entry: name, problem })
    if (
      source?.resourceClaimName === undefined &&
      source?.resourceClaimTemplateName === undefined
    ) {
      const place = `pod "${pod.metadata.namespace}/${pod.metadata.name}", spec.resourceClaim "${name}"`
      return wrong(
        `checking for claim before creating it: ${place}: none of the supported fields are set`,
      )
    }
    if (source.resourceClaimTemplateName === undefined || hasClaim(seen, entry)) continue
    const own = made.find((claim) => isForEntry(claim, pod, name, annotation))
    if (own !== undefined) {
      found.push({ name, resourceClaimName: own.metadata.name })
      continue
    }
    const title = `"${source.resourceClaimTemplateName}"`
    const template = seen.templateOf(source.resourceClaimTemplateName)
    if (template === undefined)
      return wrong(`resource claim template ${title}: ${seen.template} ${title} not found`)
    create.push({ entry: name, claim: claimOf(pod, name, template, annotation) })
  }
  if (create.length === 0 && found.length === 0) return undefined
  const fresh = new Set([...create.map(({ entry }) => entry), ...found.map(({ name }) => name)])
  const before = pod.status?.resourceClaimStatuses ?? []
  return {
    is: 'claims',
    create,
    known: [...before.filter(({ name }) => !fresh.has(name)), ...found],
  }
}

/** True for an entry whose claim is there, or need not be. */
function hasClaim({ pod, claimOf: find }: SeenPod, entry: PodResourceClaim): boolean {
  const name = claimNameOf(pod, entry)
  if (name === undefined || name === 'unneeded') return name === 'unneeded'
  const claim = find(name)
  return claim !== undefined && isMadeFor(claim, pod)
}

/** Claims of older managers have the name of their entry only. */
function isForEntry(
  { metadata }: Stored<ResourceClaim>,
  pod: Stored<Pod>,
  entry: string,
  annotation: string,
): boolean {
  const said = metadata.annotations?.[annotation]
  return said === undefined ? metadata.name === `${pod.metadata.name}-${entry}` : said === entry
}

/** So many characters of a name leave room for a hyphen and five more. */
const longest = 57

function claimOf(
  pod: Stored<Pod>,
  entry: string,
  { spec }: ResourceClaimTemplate,
  annotation: string,
): NewClaim {
  const { labels, annotations } = spec.metadata ?? {}
  const whole = `${pod.metadata.name}-${entry}-`
  const part = (text: string) => text.slice(0, Math.floor((text.length * longest) / whole.length))
  const generateName = whole.length > longest ? `${part(pod.metadata.name)}-${part(entry)}` : whole
  return {
    metadata: {
      generateName,
      ownerReferences: [ownedBy(pod)],
      ...(labels && { labels }),
      annotations: { ...annotations, [annotation]: entry },
    },
    spec: spec.spec,
  }
}

/** For a pod that has a node without the help of the scheduler. */
function decideUse({ pod, claimOf: find, context }: SeenPod): PodPlan {
  const { nodeName = '', resourceClaims = [] } = pod.spec ?? {}
  const reserve: Stored<ResourceClaim>[] = []
  for (const entry of resourceClaims) {
    const name = claimNameOf(pod, entry)
    if (name === 'unneeded') continue
    const claim = name === undefined ? undefined : find(name)
    if (claim === undefined) break
    if (entry.source?.resourceClaimName === undefined && !isMadeFor(claim, pod)) break
    const { allocation, reservedFor = [], deallocationRequested = false } = claim.status ?? {}
    if (deallocationRequested || claim.metadata.deletionTimestamp !== undefined) continue
    if (allocation === undefined) {
      if (claim.spec.allocationMode !== 'WaitForFirstConsumer') continue
      if (reserve.length > 0) break
      return context?.spec.selectedNode === nodeName ? nothing : { is: 'schedule', node: nodeName }
    }
    const isIn = reservedFor.some(({ uid }) => uid === pod.metadata.uid)
    const hasRoom = allocation.shareable === true || reservedFor.length === 0
    if (!isIn && hasRoom) reserve.push(claim)
  }
  return reserve.length > 0 ? { is: 'reserve', claims: reserve } : nothing
}
