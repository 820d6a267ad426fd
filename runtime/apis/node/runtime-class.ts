/** The rules of RuntimeClass. */
import { dnsLabelProblems } from '../../kernel/meta/names.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { checkTolerations } from '../core/pod/tolerations.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { duplicate, invalidAll } from '../types/field-errors.ts'
import { checkLabels } from '../types/label-selectors.ts'
import type { List, Strings, Toleration } from '../types/shapes.ts'

interface RuntimeClass extends ApiObject {
  readonly handler?: string
  readonly scheduling?: { readonly nodeSelector?: Strings; readonly tolerations?: List<Toleration> }
}

/** A class names a handler, and adds to pods only what a pod may have. */
export const runtimeClass: Strategy = {
  validate(object) {
    const { handler, scheduling } = object as RuntimeClass
    return [
      ...invalidAll('handler', handler, handler ? dnsLabelProblems(handler) : []),
      ...checkLabels('scheduling.nodeSelector', scheduling?.nodeSelector),
      ...checkTolerations('scheduling.tolerations', scheduling?.tolerations),
      ...checkUnique(scheduling?.tolerations ?? []),
    ]
  },
}

function checkUnique(tolerations: readonly Toleration[]): readonly FieldError[] {
  const seen = new Set<string>()
  return tolerations.flatMap((toleration, index) => {
    const { key, operator, value, effect } = toleration
    const identity = JSON.stringify([key, operator, value, effect])
    if (seen.has(identity)) return [duplicate(`scheduling.tolerations[${index}]`, toleration)]
    seen.add(identity)
    return []
  })
}
