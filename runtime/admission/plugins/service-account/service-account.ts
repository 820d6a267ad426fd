import type { ServiceAccount } from '../../../../generated/apis/core/v1/service-account.ts'
import type { Awaitable } from '../../../kernel/async/awaitable.ts'
import type { Attributes } from '../../chain/attributes.ts'
import { forbidden } from '../../chain/errors.ts'
import type { PluginFactory } from '../../chain/plugin.ts'
import {
  type PluginContext,
  type StoredObject,
  servedKind,
  withStoredObject,
} from '../../chain/plugin-context.ts'
import { containersOf, isPodWrite, type PodSpec, podSpecOf, withPodSpec } from '../pods/pod-spec.ts'

const accounts = 'api/v1/serviceaccounts'
const byDefault = 'default'

/**
 * Pods run as a service account of their namespace, `default` unless they name another one, and pull images as it may
 * (supplement Q-15). As long as nothing makes `default` in every namespace, a pod does not have to wait for it; every other
 * account has to be there. No token is mounted: there are none yet.
 */
export const serviceAccount: PluginFactory = (world) => {
  const { domain } = world.scheme.platform
  const mirror = `${domain}/config.mirror`
  const strict = `${domain}/enforce-mountable-secrets`
  return {
    handles: (place) => isPodWrite(place) && place.operation === 'CREATE',
    mutate(subject) {
      const { object, namespace } = subject
      if (object === undefined || isMirror(object.metadata.annotations, mirror)) return object
      const name = podSpecOf(object).serviceAccountName || byDefault
      return withAccountObject(world, name, namespace, (account) =>
        withServiceAccount(subject, name, account),
      )
    },
    validate(subject) {
      const { object, namespace } = subject
      if (object === undefined) return
      const spec = podSpecOf(object)
      if (isMirror(object.metadata.annotations, mirror))
        return rejectIf(subject, mirrorProblem(spec))
      return withAccountObject(world, spec.serviceAccountName ?? '', namespace, (account) => {
        if (account?.metadata.annotations?.[strict] !== 'true') return
        rejectIf(subject, secretProblem(spec, account))
      })
    },
  }
}

function rejectIf(subject: Attributes, why: string | undefined): void {
  if (why !== undefined) throw forbidden(subject, why)
}

/** Works with an account; with that by default as memory has it, since its absence is nothing to wait for. */
function withAccountObject<T>(
  world: PluginContext,
  name: string,
  namespace: string | undefined,
  work: (account: ServiceAccount | undefined) => T,
): Awaitable<T> {
  const kind = servedKind(world, accounts)
  if (kind === undefined) return work(undefined)
  const look = (found: StoredObject | undefined) =>
    work(found?.object() as ServiceAccount | undefined)
  if (name === byDefault) return look(world.lister.peek(kind, name, namespace))
  return withStoredObject(world, kind, name, namespace, look)
}

function withServiceAccount(
  subject: Attributes,
  name: string,
  account: ServiceAccount | undefined,
) {
  const { object, namespace } = subject
  if (object === undefined) return undefined
  const spec = podSpecOf(object)
  if (account === undefined && name !== byDefault) {
    throw forbidden(
      subject,
      `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`,
    )
  }
  const secrets = account?.imagePullSecrets ?? []
  const pulls = (spec.imagePullSecrets ?? []).length === 0 && secrets.length > 0
  if (spec.serviceAccountName === name && !pulls) return object
  return withPodSpec(object, {
    serviceAccountName: name,
    serviceAccount: name,
    ...(pulls && { imagePullSecrets: secrets }),
  })
}

function isMirror(annotations: Readonly<Record<string, string>> | undefined, key: string): boolean {
  return Object.hasOwn(annotations ?? {}, key)
}

/** A pod that only shows what a node runs by itself has nothing of the cluster. */
function mirrorProblem(spec: Partial<PodSpec>): string | undefined {
  if (spec.serviceAccountName) return 'a mirror pod may not reference service accounts'
  const secret = (spec.volumes ?? []).some((volume) => volume.secret !== undefined)
  if (secret || containersOf(spec).some((one) => secretsOf(one).length > 0))
    return 'a mirror pod may not reference secrets'
  const tokens = (spec.volumes ?? []).some(({ projected }) =>
    projected?.sources?.some(({ serviceAccountToken }) => serviceAccountToken !== undefined),
  )
  return tokens ? 'a mirror pod may not use ServiceAccountToken volume projections' : undefined
}

type ContainerEnv = { readonly env?: unknown; readonly envFrom?: unknown }

interface SecretReference {
  readonly secret: string
  readonly through: string
}

function secretsOf(container: ContainerEnv): readonly SecretReference[] {
  const { env, envFrom } = container as {
    readonly env?: readonly EnvLike[] | null
    readonly envFrom?: readonly EnvFromLike[] | null
  }
  return [
    ...(env ?? []).flatMap(({ name, valueFrom }) =>
      valueFrom?.secretKeyRef
        ? [{ secret: valueFrom.secretKeyRef.name ?? '', through: `envVar ${name}` }]
        : [],
    ),
    ...(envFrom ?? []).flatMap(({ secretRef }) =>
      secretRef ? [{ secret: secretRef.name ?? '', through: 'envFrom' }] : [],
    ),
  ]
}

interface EnvLike {
  readonly name: string
  readonly valueFrom?: { readonly secretKeyRef?: { readonly name?: string } }
}

interface EnvFromLike {
  readonly secretRef?: { readonly name?: string }
}

function secretProblem(spec: Partial<PodSpec>, account: ServiceAccount): string | undefined {
  const name = account.metadata.name
  const mountable = new Set((account.secrets ?? []).map((one) => one.name ?? ''))
  const pullable = new Set((account.imagePullSecrets ?? []).map((one) => one.name ?? ''))
  const why = `is not allowed because service account ${name} does not reference that`
  for (const { secret } of spec.volumes ?? []) {
    const used = secret?.secretName
    if (used !== undefined && !mountable.has(used))
      return `volume with secret.secretName="${used}" ${why} secret`
  }
  for (const [containers, what] of [
    [spec.initContainers, 'init container'],
    [spec.containers, 'container'],
  ] as const) {
    for (const container of containers ?? []) {
      const use = secretsOf(container).find(({ secret }) => !mountable.has(secret))
      if (use === undefined) continue
      return `${what} ${container.name} with ${use.through} referencing secret.secretName="${use.secret}" ${why} secret`
    }
  }
  for (const [index, { name: used = '' }] of (spec.imagePullSecrets ?? []).entries()) {
    if (!pullable.has(used))
      return `imagePullSecrets[${index}].name="${used}" ${why} imagePullSecret`
  }
  return undefined
}
