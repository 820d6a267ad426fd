/** What becomes of objects in a real registry: the stored fields, or every finding as `field: message`. */
import type { AnyKind } from '../../../runtime/kernel/descriptors/kind.ts'
import { isStatus } from '../../../runtime/kernel/errors/status-error.ts'
import type { Body, Item, Registry, Target } from '../../../runtime/registry/registry.ts'
import { body, openRegistry, quiet } from '../../support/registry.ts'

/** An object as a test writes it. */
export interface Given {
  readonly metadata?: { readonly [field: string]: unknown }
  readonly [field: string]: unknown
}

/** A stored object; tests reach into it freely. */
export type Stored = Given & {
  readonly metadata: { readonly name: string; readonly [field: string]: unknown }
}

export type Outcome = Stored | readonly string[]

export interface Writer {
  /** The outcome of a create under a fresh name. */
  readonly create: (kind: AnyKind, given: Given) => Promise<Outcome>
  /** The outcome of an update with `change` of an object created from `given`. */
  readonly update: (
    kind: AnyKind,
    given: Given,
    change: (object: Stored) => Stored,
    subresource?: string,
  ) => Promise<Outcome>
  /** The outcome of an update with a whole object. */
  readonly put: (kind: AnyKind, object: Stored, subresource?: string) => Promise<Outcome>
  readonly close: () => Promise<void>
}

/** Opens a registry and writes to it. */
export async function openWriter(): Promise<Writer> {
  const { registry, close } = await openRegistry()
  const names = (function* () {
    for (let count = 0; ; count++) yield `test-${count}`
  })()
  const create = (kind: AnyKind, given: Given) =>
    outcome(createOne(registry, kind, given, names.next().value as string))
  const put: Writer['put'] = (kind, object, subresource) => {
    const { name } = object.metadata
    const target = { ...placeOf(kind), name, ...(subresource && { subresource }) }
    return outcome(registry.update(target, sent(object), quiet).then(({ item }) => item))
  }
  return {
    create,
    put,
    close,
    async update(kind, given, change, subresource) {
      const stored = await create(kind, given)
      if (isRefused(stored)) throw new Error(`not created: ${stored.join('; ')}`)
      return put(kind, change(stored), subresource)
    },
  }
}

/** True for an outcome that is a list of findings. */
export function isRefused(outcome: Outcome): outcome is readonly string[] {
  return Array.isArray(outcome)
}

async function createOne(
  registry: Registry,
  kind: AnyKind,
  given: Given,
  name: string,
): Promise<Item> {
  const object = { ...given, metadata: { name, ...given.metadata } }
  return (await registry.create(placeOf(kind), sent(object), quiet)).item
}

/** The body as it comes off the wire: what a test sets to undefined is absent. */
function sent(object: object): Body {
  return body(JSON.parse(JSON.stringify(object)))
}

function placeOf(kind: AnyKind): Target {
  return kind.scope === 'Namespaced' ? { kind, namespace: 'default' } : { kind }
}

async function outcome(work: Promise<Item>): Promise<Outcome> {
  try {
    const { bytes } = await work
    return JSON.parse(Buffer.from(bytes).toString()) as Stored
  } catch (error) {
    if (!isStatus(error, 'Invalid')) throw new Error(String(error), { cause: error })
    return (error.details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`)
  }
}
