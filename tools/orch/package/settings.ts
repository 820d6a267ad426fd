import { platform } from '../../../generated/platform.ts'
import { otherGroupName } from '../../../runtime/client/client.ts'
import type { AccessRule } from '../../../runtime/reconcile/reconcile.ts'
import { webhookNames } from '../../../runtime/webhook-server/webhook-server.ts'

/** `rules`: a file for Prometheus; `prometheus-rule`: an object among the manifests, for its operator. */
export const alertFormats = ['none', 'rules', 'prometheus-rule'] as const

export type AlertFormat = (typeof alertFormats)[number]

/** What an operator is packaged with. */
export interface PackageSettings {
  /** Names its Deployment, its account and its roles. */
  readonly name: string
  readonly namespace: string
  readonly image: string
  readonly replicas: number
  /** The program in the image. */
  readonly main: string
  readonly args: readonly string[]
  /** Rights in its namespace only, but for kinds without namespaces. */
  readonly namespaced: boolean
  /** It holds a lease while it works. */
  readonly leaderElection: boolean
  /** Its copies share their keys, by a lease for each shard. */
  readonly sharding: boolean
  /** It records events. */
  readonly events: boolean
  /** How alerts about conditions are written. */
  readonly alerts: AlertFormat
  /** Where it answers /healthz and /readyz. */
  readonly healthPort: number
  /** Where it answers reviews: /convert, if a definition asks for that, and those of admission. */
  readonly webhookPort: number
}

/** An object of a manifest. */
export type Manifest = Readonly<Record<string, unknown>>

/** A rule as roles write it. */
export type PolicyRule = AccessRule & { readonly resourceNames?: readonly string[] }

/** What all objects of an operator have in common. */
export function metadataOf(
  { name, namespace }: PackageSettings,
  own: { readonly name?: string; readonly namespace?: string } = { namespace },
): Manifest {
  return { name, ...own, labels: { 'app.kubernetes.io/name': name } }
}

/** The service by which servers reach its webhook. */
export function webhookService({ name, namespace }: PackageSettings): {
  readonly name: string
  readonly namespace: string
} {
  return { name: webhookNames(name, namespace).service, namespace }
}

/** The secret that holds the webhook's certificate. */
export function webhookSecret({ name, namespace }: PackageSettings): string {
  return webhookNames(name, namespace).secret
}

/** A group as clusters call it. */
export function publicGroup(group: string): string {
  return group.endsWith(`.${platform.api}`) ? (otherGroupName(group, platform) ?? group) : group
}
