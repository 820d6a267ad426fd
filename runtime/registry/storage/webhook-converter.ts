import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import { invariant } from '../../kernel/errors/invariant.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import { createReport } from '../../kernel/validation/field-error.ts'

/** Converts an object to another version of its kind. @throws StatusError if the webhook fails. */
export type WebhookConverter = (object: ApiObject, to: AnyKind) => Promise<ApiObject>

/** A converter that calls the webhook once for an object and a version, however many plugins see it. */
export function webhookConverter(): WebhookConverter {
  const known = new WeakMap<ApiObject, Map<AnyKind, Promise<ApiObject>>>()
  return (object, to) => {
    const versions = known.get(object) ?? new Map<AnyKind, Promise<ApiObject>>()
    known.set(object, versions)
    const converted = versions.get(to) ?? convertTo(object, to)
    versions.set(to, converted)
    return converted
  }
}

async function convertTo(object: ApiObject, to: AnyKind): Promise<ApiObject> {
  const { convert } = to.customResource ?? {}
  invariant(convert !== undefined, `${to.kind} is converted by its schema`)
  const [converted] = await convert([{ ...object, metadata: object.metadata ?? {} }])
  return to.read({ ...(converted as ApiObject) }, createReport()) as ApiObject
}
