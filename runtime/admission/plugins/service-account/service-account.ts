import type { ServiceAccount } from '../../../../generated/apis/core/v1/service-account.ts'
import type { Awaitable } from '../../../kernel/async/awaitable.ts'
import type { ApiObject } from '../../../kernel/meta/object.ts'
import type { Attributes } from '../../chain/attributes.ts'
import { forbidden } from '../../chain/errors.ts'
import type { PluginFactory } from '../../chain/plugin.ts'
import {
  type PluginContext,
  type StoredObject,
  servedKind,
  withStoredObject,
} from '../../chain/plugin-context.ts'
import { isPodRequest, podSpecOf, withPodSpec } from '../pods/pod-spec.ts'
import { mirrorPodProblem, unreferencedSecretProblem } from './secrets.ts'

const defaultName = 'default'

/**
 * ServiceAccount runs pods as a service account of their namespace, `default` unless they name another one, and gives them its
 * image pull secrets (supplement Q-15). Only an account other than `default` has to exist: nothing creates `default` in new
 * namespaces yet. No token is mounted, because the server issues none yet.
 */
export const serviceAccount: PluginFactory = (context) => {
  const { domain } = context.scheme.platform
  const mirrorAnnotation = `${domain}/config.mirror`
  const enforceAnnotation = `${domain}/enforce-mountable-secrets`
  const isMirrorPod = (object: ApiObject) =>
    Object.hasOwn(object.metadata.annotations ?? {}, mirrorAnnotation)
  return {
    handles: (request) => isPodRequest(request) && request.operation === 'CREATE',
    mutate(attributes) {
      const { object, namespace } = attributes
      if (object === undefined) return object
      if (isMirrorPod(object)) {
        // Before the pod is validated: a mirror is told that it may not have an account, not what its token lacks.
        rejectIf(attributes, mirrorPodProblem(podSpecOf(object)))
        return object
      }
      const name = podSpecOf(object).serviceAccountName || defaultName
      return withAccount(context, name, namespace, (account) => {
        if (account === undefined && name !== defaultName) throw notFoundError(attributes, name)
        return withServiceAccount(object, name, account)
      })
    },
    validate(attributes) {
      const { object, namespace } = attributes
      if (object === undefined) return
      const spec = podSpecOf(object)
      if (isMirrorPod(object)) return rejectIf(attributes, mirrorPodProblem(spec))
      return withAccount(context, spec.serviceAccountName ?? '', namespace, (account) => {
        if (account?.metadata.annotations?.[enforceAnnotation] !== 'true') return
        rejectIf(attributes, unreferencedSecretProblem(spec, account))
      })
    },
  }
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
