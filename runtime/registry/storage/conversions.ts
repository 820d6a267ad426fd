import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import { invariant } from '../../kernel/errors/invariant.ts'
import { type ApiObject, apiVersionOf } from '../../kernel/meta/object.ts'
import { createReport } from '../../kernel/validation/field-error.ts'
import { encodeJson } from '../../serializer/serializer.ts'
import type { WriteConversions } from '../contract/context.ts'

/**
 * Objects in other versions of their kind, for one request about a kind whose versions a webhook converts. What the request
 * will need is converted ahead, so that merging and comparing need not wait; each object is converted once.
 */
export class RequestConversions implements WriteConversions {
  readonly #converted = new Map<string, ApiObject>()

  /** Converts objects ahead. @throws StatusError if the webhook fails. */
  async prepare(versions: readonly AnyKind[], objects: readonly ApiObject[]): Promise<void> {
    for (const version of versions) {
      const missing = objects.filter((object) => {
        return !isBlank(object) && !this.#converted.has(keyOf(version, object))
      })
      if (missing.length > 0) await this.#convert(version, missing)
    }
  }

  /** An object in a version that it was converted to ahead. */
  converted(version: AnyKind, object: ApiObject): ApiObject {
    if (isBlank(object)) return { ...object, apiVersion: apiVersionOf(version) }
    const found = this.#converted.get(keyOf(version, object))
    invariant(found !== undefined, `${version.kind} objects are converted before they are compared`)
    return found
  }

  async #convert(version: AnyKind, objects: readonly ApiObject[]): Promise<void> {
    const { convert } = version.customResource ?? {}
    invariant(convert !== undefined, `${version.kind} is converted by its schema`)
    const whole = objects.map((object) => ({ ...object, metadata: object.metadata ?? {} }))
    const answers = await convert(whole)
    for (const [index, object] of objects.entries()) {
      const read = version.read({ ...(answers[index] as ApiObject) }, createReport())
      this.#converted.set(keyOf(version, object), read as ApiObject)
    }
  }
}

function keyOf(version: AnyKind, object: ApiObject): string {
  return `${apiVersionOf(version)} ${(encodeJson(object) as Buffer).toString()}`
}

/** An object without any field of its own needs no webhook. */
function isBlank({ apiVersion, kind, metadata, ...rest }: ApiObject): boolean {
  return Object.keys(rest).length === 0 && Object.keys(metadata ?? {}).length === 0
}
