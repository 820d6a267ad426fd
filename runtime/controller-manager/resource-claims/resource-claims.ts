import { type Pod, pods } from '../../../generated/apis/core/v1/pod.ts'
import { podSchedulingContexts } from '../../../generated/apis/resource/v1alpha2/pod-scheduling-context.ts'
import {
  type ResourceClaim,
  type ResourceClaimConsumerReference,
  resourceClaims,
} from '../../../generated/apis/resource/v1alpha2/resource-claim.ts'
import { resourceClaimTemplates } from '../../../generated/apis/resource/v1alpha2/resource-claim-template.ts'
import type { Key } from '../../client/client.ts'
import { objectKey } from '../../informer/informer.ts'
import type { Platform } from '../../kernel/descriptors/platform.ts'
import { errorText } from '../../kernel/errors/error-text.ts'
import { isStatus } from '../../kernel/errors/status-error.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import type { Counter } from '../../observe/observe.ts'
import {
  again,
  controllerOf,
  done,
  failed,
  type KeyContext,
  type KeyController,
  type Lookup,
  type Outcome,
  ownedBy,
  terminal,
  watching,
} from '../../reconcile/reconcile.ts'
import type { BuildContext } from '../contract/build-controller.ts'
import { claimNames, isDone } from './claim-names.ts'
import { decideClaim, type PodFate } from './decide-claim.ts'
import { decidePod, type PodPlan } from './decide-pod.ts'

const usedClaims = ({ metadata, spec, status }: Stored<Pod>) =>
  claimNames({ ...(spec && { spec }), ...(status && { status }) }).map(
    (name) => `${metadata.namespace}/${name}`,
  )

const madeFor = (claim: Stored<ResourceClaim>) => {
  const owner = controllerOf(claim)
  return owner?.kind === 'Pod' ? [owner.uid] : []
}

/**
 * Makes the claims of templates that pods name, and gives back what no pod uses any more (gate DynamicResourceAllocation).
 *
 *   reads    Pod, ResourceClaim, ResourceClaimTemplate, PodSchedulingContext
 *   writes   ResourceClaim: create, status, delete; Pod: status; PodSchedulingContext: create, update; Event
 *   wakes    when a pod with claims, one of its claims, or a template that it names changes
 *   settles  when each pod says which claims were made for it, pods with a node are let in, and no claim lets in a pod that is gone
 */
export async function resourceClaimController({
  name,
  platform,
  metrics,
}: BuildContext): Promise<readonly KeyController[]> {
  const podsOf = (claim: Stored<ResourceClaim>, { cached }: Lookup): readonly Key[] => {
    const { namespace, name: called } = claim.metadata
    const owner = controllerOf(claim)
    const users = cached(pods).index('resourceClaims', `${namespace}/${called}`).map(objectKey)
    return owner?.kind === 'Pod' ? [{ namespace, name: owner.name }, ...users] : users
  }
  const counts = {
    tried: metrics.counter('resourceclaim_controller_create_attempts_total'),
    failed: metrics.counter('resourceclaim_controller_create_failures_total'),
  }
  counts.tried.add([], 0)
  counts.failed.add([], 0)
  const claims = watching(resourceClaims, podsOf, { indexes: { pod: madeFor } })
  return [
    {
      ...{ name, component: 'resource_claim', concurrency: 10 },
      watches: [
        watching(resourceClaims, (claim) => [objectKey(claim)], { indexes: { pod: madeFor } }),
        watching(pods, (pod) => claimNames(pod).map((one) => ({ ...objectKey(pod), name: one })), {
          indexes: { resourceClaims: usedClaims },
          when: ({ type, object }) => type === 'deleted' || isDone(object),
        }),
      ],
      reconcile: settleClaim,
    },
    {
      ...{ name: `${name}/pods`, component: 'resource_claim', concurrency: 10 },
      watches: [
        watching(pods, (pod) => (pod.spec?.resourceClaims?.length ? [objectKey(pod)] : []), {
          indexes: { resourceClaims: usedClaims },
        }),
        claims,
        watching(resourceClaimTemplates, ({ metadata: { namespace, name: called } }, { cached }) =>
          cached(pods)
            .list(namespace)
            .filter((pod) => names(pod, called))
            .map(objectKey),
        ),
        watching(podSchedulingContexts, (context) => [objectKey(context)]),
      ],
      reconcile: (key, context) => settlePod(key, { ...platform, counts }, context),
    },
  ]
}

function names({ spec }: Pod, template: string): boolean {
  const { resourceClaims: entries = [] } = spec ?? {}
  return entries.some(({ source }) => source?.resourceClaimTemplateName === template)
}

async function settleClaim(key: Key, context: KeyContext): Promise<Outcome> {
  const { cached, client, signal } = context
  const claim = cached(resourceClaims).get(key)
  if (claim === undefined) return done
  const fates = new Map<string, PodFate>()
  for (const one of claim.status?.reservedFor ?? [])
    fates.set(one.uid, await fateOf(one, key, context))
  const owner = controllerOf(claim)
  const pod = owner?.kind === 'Pod' ? cached(pods).get({ ...key, name: owner.name }) : undefined
  const fate = pod && (pod.metadata.uid === owner?.uid ? (isDone(pod) ? 'done' : 'runs') : 'gone')
  const plan = decideClaim(claim, ({ uid }) => fates.get(uid) ?? 'runs', fate)
  if (plan.unsupported !== undefined) {
    const { apiGroup = '', resource, name } = plan.unsupported
    return terminal(
      `unsupported ReservedFor entry: ${resource}${apiGroup && `.${apiGroup}`} ${name}`,
    )
  }
  try {
    if (plan.write) await client.resource(resourceClaims).updateStatus(plan.write, {}, signal)
    if (plan.remove) await client.resource(resourceClaims).delete(claim, {}, signal)
  } catch (error) {
    if (isStatus(error, 'Conflict')) return again(0, 'it has changed meanwhile')
    if (!isStatus(error, 'NotFound')) throw error
  }
  return done
}

/** What became of a consumer: what the cache has not is asked for. */
async function fateOf(
  { name, uid }: ResourceClaimConsumerReference,
  { namespace }: Key,
  { cached, client, signal }: KeyContext,
): Promise<PodFate> {
  const known = cached(pods).get({ ...(namespace && { namespace }), name })
  const pod =
    known ??
    (await client
      .resource(pods)
      .in(namespace ?? '')
      .find(name, signal))
  if (pod === undefined || pod.metadata.uid !== uid) return 'gone'
  return isDone(pod) ? 'done' : 'runs'
}

/** Claims that were to be made, and those that could not be. */
interface ClaimCounts {
  readonly tried: Counter
  readonly failed: Counter
}

async function settlePod(
  key: Key,
  { domain, api, counts }: Platform & { readonly counts: ClaimCounts },
  context: KeyContext,
): Promise<Outcome> {
  const { cached, event } = context
  const pod = cached(pods).get(key)
  if (pod === undefined) return done
  const at = (name: string) => ({ ...key, name })
  const plan = decidePod({
    pod,
    claimOf: (name) => cached(resourceClaims).get(at(name)),
    made: cached(resourceClaims).index('pod', pod.metadata.uid),
    templateOf: (name) => cached(resourceClaimTemplates).get(at(name)),
    context: cached(podSchedulingContexts).get(key),
    annotation: `resource.${domain}/pod-claim-name`,
    template: `resourceclaimtemplate.resource.${api}`,
  })
  const problem = plan.is === 'wrong' ? plan : await carryOut(plan, pod, { ...context, counts })
  if (typeof problem === 'object' && 'problem' in problem) {
    const message = `PodResourceClaim ${problem.entry}: ${problem.problem}`
    event(pod, { type: 'Warning', reason: 'FailedResourceClaimCreation', message })
    return failed(new Error(message))
  }
  return problem
}

/** Does what is planned; gives the entry whose claim cannot be made. */
async function carryOut(
  plan: PodPlan,
  pod: Stored<Pod>,
  { cached, client, signal, counts }: KeyContext & { readonly counts: ClaimCounts },
): Promise<Outcome | { readonly entry: string; readonly problem: string }> {
  const { namespace, name } = pod.metadata
  try {
    if (plan.is === 'claims') {
      const made = [...plan.known]
      for (const { entry, claim } of plan.create) {
        counts.tried.add([])
        try {
          const { metadata } = await client
            .resource(resourceClaims)
            .in(namespace)
            .create(claim, {}, signal)
          made.push({ name: entry, resourceClaimName: metadata.name })
        } catch (error) {
          counts.failed.add([])
          return { entry, problem: `create ResourceClaim : ${errorText(error)}` }
        }
      }
      const status = { resourceClaimStatuses: made }
      await client
        .resource(pods)
        .mergePatch(objectKey(pod), { status }, { subresource: 'status' }, signal)
    }
    if (plan.is === 'schedule') {
      const all = client.resource(podSchedulingContexts)
      const there = cached(podSchedulingContexts).get({ namespace, name })
      const spec = { ...there?.spec, selectedNode: plan.node }
      if (there !== undefined) await all.update({ ...there, spec }, {}, signal)
      else {
        const { blockOwnerDeletion: _, ...owner } = ownedBy(pod)
        await all
          .in(namespace)
          .create({ metadata: { name, ownerReferences: [owner] }, spec }, {}, signal)
      }
    }
    if (plan.is === 'reserve') {
      const consumer = { resource: 'pods', name, uid: pod.metadata.uid }
      for (const claim of plan.claims) {
        const reservedFor = [...(claim.status?.reservedFor ?? []), consumer]
        const status = { ...claim.status, reservedFor }
        await client.resource(resourceClaims).updateStatus({ ...claim, status }, {}, signal)
      }
    }
  } catch (error) {
    if (isStatus(error, 'Conflict')) return again(0, 'it has changed meanwhile')
    if (!isStatus(error, 'NotFound')) throw error
  }
  return done
}
