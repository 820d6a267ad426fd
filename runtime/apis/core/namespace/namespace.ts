/** The rules of Namespace. */
import { qualifiedNameProblems } from '../../../kernel/meta/names.ts'
import type { ApiObject } from '../../../kernel/meta/object.ts'
import { change } from '../../strategy/change.ts'
import type { Strategy } from '../../strategy/strategy.ts'
import { invalidAll } from '../../types/field-errors.ts'
import type { List } from '../../types/shapes.ts'

interface Namespace extends ApiObject {
  readonly spec?: { readonly finalizers?: List<string> }
  readonly status?: { readonly phase?: string }
}

/**
 * Every namespace carries its name as a label, begins active, and waits for its contents when it is deleted:
 * its finalizers change through their own subresource only.
 */
export const namespace: Strategy = {
  defaults: (object, { platform }) => labelled(object, `${platform.domain}/metadata.name`),
  prepareCreate(object, { platform }) {
    const { spec } = object as Namespace
    const given = spec?.finalizers ?? []
    const finalizers = given.includes(platform.brand) ? given : [...given, platform.brand]
    return change(labelled(object as Namespace, `${platform.domain}/metadata.name`), {
      spec: { ...spec, finalizers },
      status: { phase: 'Active' },
    })
  },
  prepareUpdate(object, old) {
    const { spec } = object as Namespace
    const kept = change(spec ?? {}, { finalizers: (old as Namespace).spec?.finalizers })
    return change(object as Namespace, { spec: kept })
  },
  validate(object) {
    const finalizers = (object as Namespace).spec?.finalizers ?? []
    return finalizers.flatMap((name, index) =>
      invalidAll(`spec.finalizers[${index}]`, name, qualifiedNameProblems(name)),
    )
  },
}

function labelled<T extends ApiObject>(object: T, label: string): T {
  const { metadata } = object
  if (metadata.name === undefined || metadata.labels?.[label] === metadata.name) return object
  return {
    ...object,
    metadata: { ...metadata, labels: { ...metadata.labels, [label]: metadata.name } },
  }
}
