/** Which changes of a service its balancer has to follow, and what is told of them. */
import type { Service } from '../../../../generated/apis/core/v1/service.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'

/** What an event says of a change. */
export interface ToldChange {
  readonly reason: string
  readonly message: string
}

/** A change that a balancer has to follow; not all of them are told. */
export interface ServiceChange {
  readonly told: ToldChange | undefined
}

/** True for a service that asks the cloud for a balancer: one with a class asks another program. */
export function wantsBalancer({ spec }: Service): boolean {
  return spec?.type === 'LoadBalancer' && spec.loadBalancerClass === undefined
}

/** The change from one state of a service to another that its balancer has to follow first; undefined if there is none. */
export function changeOf(before: Stored<Service>, now: Stored<Service>): ServiceChange | undefined {
  if (!wantsBalancer(before) && !wantsBalancer(now)) return undefined
  for (const follow of followed) {
    const change = follow(before, now)
    if (change !== undefined) return change
  }
  return undefined
}

type Follow = (before: Stored<Service>, now: Stored<Service>) => ServiceChange | undefined

const silently: ServiceChange = { told: undefined }

/** In this order, of which the first that differs is told. */
const followed: readonly Follow[] = [
  (before, now) =>
    wantsBalancer(before) === wantsBalancer(now)
      ? undefined
      : moved('Type', before.spec?.type, now.spec?.type),
  differs('LoadBalancerSourceRanges', ({ spec }) => listText(spec?.loadBalancerSourceRanges)),
  ({ spec: before }, { spec: now }) =>
    deepEqual(
      [before?.ports, before?.sessionAffinity, before?.sessionAffinityConfig],
      [now?.ports, now?.sessionAffinity, now?.sessionAffinityConfig],
    )
      ? undefined
      : silently,
  differs('LoadbalancerIP', ({ spec }) => spec?.loadBalancerIP ?? ''),
  differs('ExternalIP', ({ spec }) => spec?.externalIPs?.length ?? 0, 'Count: '),
  (before, now) => {
    const { externalIPs: known = [] } = before.spec ?? {}
    const added = now.spec?.externalIPs?.find((address, at) => address !== known[at])
    return added === undefined
      ? undefined
      : { told: { reason: 'ExternalIP', message: `Added: ${added}` } }
  },
  ({ metadata: before }, { metadata: now }) =>
    deepEqual(before.annotations ?? {}, now.annotations ?? {}) ? undefined : silently,
  differs('UID', ({ metadata }) => metadata.uid),
  differs('ExternalTrafficPolicy', ({ spec }) => spec?.externalTrafficPolicy ?? ''),
  differs('HealthCheckNodePort', ({ spec }) => spec?.healthCheckNodePort ?? 0),
  differs('IPFamilies', ({ spec }) => spec?.ipFamilies?.length ?? 0, 'Count: '),
]

function differs(
  reason: string,
  shown: (service: Stored<Service>) => string | number,
  prefix = '',
): Follow {
  return (before, now) => {
    const [from, to] = [shown(before), shown(now)]
    return from === to ? undefined : moved(reason, from, to, prefix)
  }
}

function moved(
  reason: string,
  from: string | number | undefined,
  to: string | number | undefined,
  prefix = '',
): ServiceChange {
  return { told: { reason, message: `${prefix}${from ?? ''} -> ${to ?? ''}` } }
}

/** A list as clients of release 1.29 print it. */
export function listText(words: readonly string[] = []): string {
  return `[${words.join(' ')}]`
}
