import type { TokenRequest } from '../../../../generated/apis/authentication/v1.ts'
import { notCached } from '../../chain/errors.ts'
import { getObject, servedKind } from '../../chain/plugin-context.ts'
import type { Pod } from '../pods/pod-spec.ts'
import type { NodeCheck } from './node-check.ts'

/** A node asks for tokens that are bound to pods which it runs. @throws StatusError NotFound for a pod that is not there. */
export const tokenProblem: NodeCheck = async (node, attributes, context) => {
  const { operation, subresource, namespace, object } = attributes
  if (operation !== 'CREATE' || subresource !== 'token') return undefined
  const ref = (object as unknown as TokenRequest | undefined)?.spec?.boundObjectRef
  if (ref?.apiVersion !== 'v1' || ref.kind !== 'Pod' || !ref.name) {
    return 'node requested token not bound to a pod'
  }
  if (!ref.uid) return 'node requested token with a pod binding without a uid'
  const pod = (await getObject(context, 'api/v1/pods', ref.name, namespace)) as Pod | undefined
  const kind = servedKind(context, 'api/v1/pods')
  if (pod === undefined && kind !== undefined) throw notCached(kind, ref.name)
  if (ref.uid !== pod?.metadata?.uid) {
    return `the UID in the bound object reference (${ref.uid}) does not match the UID in record. The object might have been deleted and then recreated`
  }
  if (pod.spec?.nodeName === node) return undefined
  return 'node requested token bound to a pod scheduled on a different node'
}
