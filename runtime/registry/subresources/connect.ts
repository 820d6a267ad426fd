import type { Kind } from '../../kernel/descriptors/kind.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { JsonObject } from '../../kernel/values/json.ts'
import type { RegistryContext } from '../contract/context.ts'
import type { Target, WithAuditAnnotations, WriteOptions } from '../contract/contract.ts'
import { beginAdmission, settleAdmission } from '../strategy/admission.ts'

/** Asks admission whether a request may be passed on; `query` is what it asks for. @throws StatusError as a plugin refuses. */
export async function admitConnection(
  context: RegistryContext,
  target: Target,
  query: JsonObject,
  options: WriteOptions,
): Promise<WithAuditAnnotations> {
  const { kind: resource, subresource } = target
  const name = resource.subresources.find((one) => one.name === subresource)?.connect
  if (name === undefined) return {}
  const kind: Kind = { ...resource, group: '', version: 'v1', kind: name, subresources: [] }
  const object = { kind: name, apiVersion: 'v1', ...query } as unknown as ApiObject
  const form = { kind, toAdmitted: same, fromAdmitted: same }
  const admission = beginAdmission({ context, target, options }, 'CONNECT', form)
  return settleAdmission(admission, async () => {
    await admission?.validate((await admission.mutate(object)) ?? object)
    return {}
  })
}

function same(object: ApiObject): ApiObject {
  return object
}
