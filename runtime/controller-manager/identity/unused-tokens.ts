import { type ConfigMap, configMaps } from '../../../generated/apis/core/v1/config-map.ts'
import { type Pod, pods } from '../../../generated/apis/core/v1/pod.ts'
import { type Secret, secrets } from '../../../generated/apis/core/v1/secret.ts'
import {
  type ServiceAccount,
  serviceAccounts,
} from '../../../generated/apis/core/v1/service-account.ts'
import { objectKey } from '../../informer/informer.ts'
import { isStatus } from '../../kernel/errors/status-error.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { parseDuration } from '../../kernel/values/duration.ts'
import { podSecretNames } from '../../pods/pods.ts'
import {
  done,
  every,
  type KeyContext,
  type KeyController,
  watching,
} from '../../reconcile/reconcile.ts'
import type { BuildContext } from '../contract/build-controller.ts'

const dayMs = 86_400_000

const all = [{ name: 'all' }]

/**
 * Marks the secrets that were once made for service accounts, and whose tokens are not used, as invalid, and deletes them when they have been for as long.
 *
 *   reads    Secret of service accounts' tokens, ServiceAccount, Pod, the ConfigMap that says since when uses are noted
 *   writes   Secret: patch, delete
 *   wakes    once a day
 *   settles  when every such secret is marked or gone that has not been used for so long
 */
export function legacyTokenCleanerController({
  name,
  platform,
  configuration,
}: BuildContext): readonly KeyController[] {
  const { domain, prefix } = platform
  const unusedMs = parseDuration(configuration.LegacySATokenCleaner.CleanUpPeriod) ?? 0
  const names = tokenLabels(domain)
  const tracking = {
    namespace: `${prefix}-system`,
    name: `${prefix}-apiserver-legacy-service-account-token-tracking`,
  }
  return [
    {
      name,
      concurrency: 1,
      watches: [
        watching(secrets, () => [], { fieldSelector: `type=${domain}/service-account-token` }),
        watching(serviceAccounts, () => []),
        watching(pods, () => [], { indexes: { namespace: 'metadata.namespace' } }),
      ],
      seeds: all,
      sources: [every(dayMs, () => all)],
      async reconcile(_, context) {
        const { client, cached, clock, signal } = context
        const since = trackedSince(await client.resource(configMaps).find(tracking, signal))
        const now = clock.now()
        if (since === undefined || now < since + unusedMs) return done
        for (const secret of cached(secrets).list()) {
          const plan = decideToken(observe(secret, context, names), { now, unusedMs, names })
          await carryOut(secret, plan, names, context)
        }
        return done
      },
    },
  ]
}

/** The labels and annotations of such secrets. */
export interface TokenLabels {
  readonly account: string
  readonly uid: string
  readonly lastUsed: string
  readonly invalidSince: string
}

/** The names that a platform has for them. */
export function tokenLabels(domain: string): TokenLabels {
  return {
    account: `${domain}/service-account.name`,
    uid: `${domain}/service-account.uid`,
    lastUsed: `${domain}/legacy-token-last-used`,
    invalidSince: `${domain}/legacy-token-invalid-since`,
  }
}

/** When the first day ended that is tracked as a whole; undefined for a date that cannot be read. */
export function trackedSince(found: Pick<ConfigMap, 'data'> | undefined): number | undefined {
  const date = dateOf(found?.data?.since)
  return date === undefined ? undefined : date + dayMs
}

/** What a secret is looked at with. */
export interface ObservedToken {
  readonly secret: Pick<Stored<Secret>, 'metadata'>
  /** The account that the secret is of. */
  readonly account: Pick<ServiceAccount, 'secrets'> | undefined
  /** True while a pod names the secret. */
  readonly isMounted: () => boolean
}

function observe(
  secret: Stored<Secret>,
  { cached }: KeyContext,
  names: TokenLabels,
): ObservedToken {
  const { namespace, name, annotations = {} } = secret.metadata
  const account = cached(serviceAccounts).get({ namespace, name: annotations[names.account] ?? '' })
  const uid = annotations[names.uid] ?? ''
  const uses = ({ spec }: Stored<Pod>) => podSecretNames(spec ?? {}).includes(name)
  return {
    secret,
    account: uid === '' || uid === account?.metadata.uid ? account : undefined,
    isMounted: () => cached(pods).index('namespace', namespace).some(uses),
  }
}

/** What is to be done about a secret at a time. */
export function decideToken(
  { secret: { metadata }, account, isMounted }: ObservedToken,
  {
    now,
    unusedMs,
    names,
  }: { readonly now: number; readonly unusedMs: number; readonly names: TokenLabels },
): 'keep' | 'mark' | 'delete' {
  const { name, creationTimestamp, deletionTimestamp, labels = {} } = metadata
  const before = now - unusedMs
  const isOld = (date: string) => date < dateText(before)
  if (deletionTimestamp !== undefined || Date.parse(creationTimestamp) >= before) return 'keep'
  const used = labels[names.lastUsed]
  if (used !== undefined && (dateOf(used) === undefined || !isOld(used))) return 'keep'
  const isListed = account?.secrets?.some((one) => one.name === name) === true
  if (!isListed || isMounted()) return 'keep'
  const invalid = labels[names.invalidSince]
  if (invalid === undefined || dateOf(invalid) === undefined) return 'mark'
  return isOld(invalid) ? 'delete' : 'keep'
}

async function carryOut(
  secret: Stored<Secret>,
  plan: 'keep' | 'mark' | 'delete',
  { invalidSince }: TokenLabels,
  { client, clock, signal }: KeyContext,
): Promise<void> {
  if (plan === 'keep') return
  const { uid } = secret.metadata
  const resource = client.resource(secrets)
  try {
    if (plan === 'mark') {
      const metadata = { uid, labels: { [invalidSince]: dateText(clock.now()) } }
      await resource.mergePatch(objectKey(secret), { metadata }, {}, signal)
    } else {
      await resource.delete(secret, { unchanged: true }, signal)
    }
  } catch (error) {
    if (!isStatus(error, 'NotFound') && !isStatus(error, 'Conflict')) throw error
  }
}

/** Midnight of a date `2030-01-31`; undefined for any other text. */
function dateOf(text = ''): number | undefined {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) || dateText(time) !== text ? undefined : time
}

function dateText(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}
