/**
 * Conversions by somebody else's program for work that cannot wait: it asks, and is stopped; when the answer is there the
 * work is done again and finds it. The work must leave nothing behind when it is stopped.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import { invariant } from '../../kernel/errors/invariant.ts'
import { type ApiObject, apiVersionOf } from '../../kernel/meta/object.ts'
import { createReport } from '../../kernel/validation/field-error.ts'
import { encodeJson } from '../../serializer/serializer.ts'

/** What stops the work. Nothing but `patiently` catches it. */
class MissingConversion extends Error {
  readonly key: string
  readonly object: ApiObject
  readonly to: AnyKind

  constructor(key: string, object: ApiObject, to: AnyKind) {
    super('an object is not converted yet')
    this.key = key
    this.object = object
    this.to = to
  }
}

const requestConversions = new AsyncLocalStorage<Conversions>()

/** The conversions of the request that is being worked on, for who serves all requests alike. */
export function currentConversions(): Conversions | undefined {
  return requestConversions.getStore()
}

/** The conversions of one request. */
export class Conversions {
  readonly #answers = new Map<string, ApiObject>()

  /** The object in a version. Stops the work if nobody has been asked for it yet. */
  convert(to: AnyKind, object: ApiObject): ApiObject {
    const apiVersion = apiVersionOf(to)
    if (isBlank(object)) return { ...object, apiVersion }
    const key = `${apiVersion} ${(encodeJson(object) as Buffer).toString()}`
    const known = this.#answers.get(key)
    if (known === undefined) throw new MissingConversion(key, object, to)
    return known
  }

  /** Does the work, again and again while it asks for objects that are not converted yet. */
  async retryWithConversions<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await requestConversions.run(this, work)
      } catch (error) {
        if (!(error instanceof MissingConversion)) throw error
        await this.#answer(error)
      }
    }
  }

  async #answer({ key, object, to }: MissingConversion): Promise<void> {
    invariant(to.customResource?.convert !== undefined, `${to.kind} is converted by its schema`)
    const asked = { ...object, metadata: object.metadata ?? {} }
    const [answer] = await to.customResource.convert([asked])
    this.#answers.set(key, to.read({ ...(answer as ApiObject) }, createReport()))
  }
}

/** Nobody is asked about an object that says nothing but what it is. */
function isBlank({ apiVersion, kind, metadata, ...rest }: ApiObject): boolean {
  return Object.keys(rest).length === 0 && Object.keys(metadata ?? {}).length === 0
}
