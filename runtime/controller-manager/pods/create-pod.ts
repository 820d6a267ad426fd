import { type Pod, pods } from '../../../generated/apis/core/v1/pod.ts'
import type { Draft } from '../../client/client.ts'
import { errorText } from '../../kernel/errors/error-text.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import type { KeyContext } from '../../reconcile/reconcile.ts'
import { isNamespaceTerminating } from '../contract/namespace-refusals.ts'

/** Creates a pod of an owner, and tells of it; undefined if nothing is made in its namespace any more. @throws what refused it. */
export async function createPod(
  draft: Draft<Pod>,
  owner: Stored<ApiObject>,
  { client, event, signal }: Pick<KeyContext, 'client' | 'event' | 'signal'>,
): Promise<Stored<Pod> | undefined> {
  const { namespace = '' } = (owner as ApiObject).metadata
  try {
    const pod = await client.resource(pods).in(namespace).create(draft, {}, signal)
    const message = `Created pod: ${pod.metadata.name}`
    event(owner, { type: 'Normal', reason: 'SuccessfulCreate', message })
    return pod
  } catch (error) {
    if (isNamespaceTerminating(error)) return undefined
    const message = `Error creating: ${errorText(error)}`
    event(owner, { type: 'Warning', reason: 'FailedCreate', message })
    throw error
  }
}
