import type { ServiceAccount } from '../../../../generated/apis/core/v1/service-account.ts'
import type { Awaitable } from '../../../kernel/async/awaitable.ts'
import type { ApiObject } from '../../../kernel/meta/object.ts'
import { type Attributes, isResource, type ResourceOperation } from '../../chain/attributes.ts'
import { forbidden } from '../../chain/errors.ts'
import type { PluginFactory } from '../../chain/plugin.ts'
import {
  type PluginContext,
  type StoredObject,
  servedKind,
  withStoredObject,
} from '../../chain/plugin-context.ts'
import { isPodRequest, podSpecOf, withPodSpec } from '../pods/pod-spec.ts'
import { ephemeralSecretProblem, mirrorPodProblem, unreferencedSecretProblem } from './secrets.ts'
import { withTokenVolume } from './token-volume.ts'

const defaultName = 'default'

/**
 * ServiceAccount runs pods as a service account of their namespace, `default` unless they name another one, and gives them its
 * image pull secrets (supplement Q-15). Only an account other than `default` has to exist: nothing creates `default` in new
 * namespaces yet. Where the server issues tokens that last, pods of accounts that exist get a volume with one, unless they or their
 * account do without. Ephemeral containers are held to the secrets of the account, too.
 */
export const serviceAccount: PluginFactory = (context) => {
  const { domain } = context.scheme.platform
  const mirrorAnnotation = `${domain}/config.mirror`
  const enforceAnnotation = `${domain}/enforce-mountable-secrets`
  const mounts = context.settings.ServiceAccount?.mountsTokens ?? false
  const names = { platform: context.scheme.platform, random: context.random }
  const mountsToken = (pod: ApiObject, account: ServiceAccount | undefined): boolean => {
    if (!mounts || account === undefined) return false
    const own = podSpecOf(pod).automountServiceAccountToken
    return own ?? account.automountServiceAccountToken ?? true
  }
  const isMirrorPod = (object: ApiObject) =>
    Object.hasOwn(object.metadata.annotations ?? {}, mirrorAnnotation)
  return {
    handles: (request) =>
      (isPodRequest(request) && request.operation === 'CREATE') || addsContainers(request),
    mutate(attributes) {
      const { object, namespace } = attributes
      if (object === undefined || addsContainers(attributes)) return object
      if (isMirrorPod(object)) {
        // Before the pod is validated: a mirror is told that it may not have an account, not what its token lacks.
        rejectIf(attributes, mirrorPodProblem(podSpecOf(object)))
        return object
      }
      const name = podSpecOf(object).serviceAccountName || defaultName
      return withAccount(context, name, namespace, (account) => {
        if (account === undefined && name !== defaultName) throw notFoundError(attributes, name)
        const placed = withServiceAccount(object, name, account)
        return mountsToken(placed, account) ? withTokenVolume(placed, names) : placed
      })
    },
    validate(attributes) {
      const { object, namespace } = attributes
      if (object === undefined) return
      const spec = podSpecOf(object)
      if (isMirrorPod(object)) return rejectIf(attributes, mirrorPodProblem(spec))
      return withAccount(context, spec.serviceAccountName ?? '', namespace, (account) => {
        const enforced = account?.metadata.annotations?.[enforceAnnotation] ?? ''
        if (account === undefined || !truthy.has(enforced)) return
        const problem = addsContainers(attributes)
          ? ephemeralSecretProblem(spec, account)
          : unreferencedSecretProblem(spec, account)
        rejectIf(attributes, problem)
      })
    },
  }
}

/** The texts that stand for yes in an annotation. */
const truthy: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True'])

/** True for a write of the ephemeral containers of a pod. */
function addsContainers(request: ResourceOperation): boolean {
  const { subresource = '', operation } = request
  return (
    isResource(request, '', 'pods') &&
    subresource === 'ephemeralcontainers' &&
    operation === 'UPDATE'
  )
}

function rejectIf(attributes: Attributes, problem: string | undefined): void {
  if (problem !== undefined) throw forbidden(attributes, problem)
}

/** Calls `use` with an account. The default account may be missing, so that its absence is not worth a read of the store. */
function withAccount<T>(
  context: PluginContext,
  name: string,
  namespace: string | undefined,
  use: (account: ServiceAccount | undefined) => T,
): Awaitable<T> {
  const kind = servedKind(context, 'api/v1/serviceaccounts')
  if (kind === undefined) return use(undefined)
  const useStored = (found: StoredObject | undefined) =>
    use(found?.object() as ServiceAccount | undefined)
  if (name === defaultName) return useStored(context.lister.peek(kind, name, namespace))
  return withStoredObject(context, kind, { name, namespace }, useStored)
}

function notFoundError(attributes: Attributes, name: string) {
  const { namespace } = attributes
  return forbidden(
    attributes,
    `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`,
  )
}

function withServiceAccount(
  pod: ApiObject,
  name: string,
  account: ServiceAccount | undefined,
): ApiObject {
  const spec = podSpecOf(pod)
  const secrets = account?.imagePullSecrets ?? []
  const addsSecrets = (spec.imagePullSecrets ?? []).length === 0 && secrets.length > 0
  if (spec.serviceAccountName === name && !addsSecrets) return pod
  return withPodSpec(pod, {
    serviceAccountName: name,
    serviceAccount: name,
    ...(addsSecrets && { imagePullSecrets: secrets }),
  })
}
