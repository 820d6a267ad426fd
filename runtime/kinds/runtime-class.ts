/** The rules of RuntimeClass. */
import { dnsLabelProblems } from '../kernel/names.ts'
import type { ApiObject } from '../kernel/object.ts'
import type { Finding } from '../kernel/read.ts'
import { duplicate, problems } from './findings.ts'
import type { Rule } from './kinds.ts'
import { checkLabels } from './selectors.ts'
import type { List, Strings, Toleration } from './shapes.ts'
import { checkTolerations } from './tolerations.ts'

interface RuntimeClass extends ApiObject {
  readonly handler?: string
  readonly scheduling?: { readonly nodeSelector?: Strings; readonly tolerations?: List<Toleration> }
}

/** A class names a handler, and adds to pods only what a pod may have. */
export const runtimeClass: Rule = {
  validate(object) {
    const { handler, scheduling } = object as RuntimeClass
    return [
      ...problems('handler', handler, handler ? dnsLabelProblems(handler) : []),
      ...checkLabels('scheduling.nodeSelector', scheduling?.nodeSelector),
      ...checkTolerations('scheduling.tolerations', scheduling?.tolerations),
      ...checkUnique(scheduling?.tolerations ?? []),
    ]
  },
}

function checkUnique(tolerations: readonly Toleration[]): readonly Finding[] {
  const seen = new Set<string>()
  return tolerations.flatMap((toleration, index) => {
    const { key, operator, value, effect } = toleration
    const identity = JSON.stringify([key, operator, value, effect])
    if (seen.has(identity)) return [duplicate(`scheduling.tolerations[${index}]`, toleration)]
    seen.add(identity)
    return []
  })
}
