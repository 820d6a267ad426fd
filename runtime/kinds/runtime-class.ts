/** The rules of RuntimeClass. */
import { dnsLabelProblems } from '../kernel/names.ts'
import type { ApiObject } from '../kernel/object.ts'
import { parseQuantity } from '../kernel/quantity.ts'
import type { Finding } from '../kernel/read.ts'
import { duplicate, invalid, problems } from './findings.ts'
import type { Rule } from './kinds.ts'
import { checkLabels } from './selectors.ts'
import type { List, Strings, Toleration } from './shapes.ts'

interface RuntimeClass extends ApiObject {
  readonly handler?: string
  readonly overhead?: { readonly podFixed?: Strings }
  readonly scheduling?: { readonly nodeSelector?: Strings; readonly tolerations?: List<Toleration> }
}

/** A class names a handler, and adds to pods only what a pod may have. */
export const runtimeClass: Rule = {
  validate(object) {
    const { handler, overhead, scheduling } = object as RuntimeClass
    return [
      ...problems('handler', handler, handler ? dnsLabelProblems(handler) : []),
      ...checkAmounts(overhead?.podFixed),
      ...checkLabels('scheduling.nodeSelector', scheduling?.nodeSelector),
      ...checkTolerations(scheduling?.tolerations ?? []),
    ]
  },
}

function checkAmounts(amounts: Strings | undefined): readonly Finding[] {
  return Object.entries(amounts ?? {}).flatMap(([name, text]) =>
    parseQuantity(text)?.negative
      ? [invalid(`overhead.podFixed[${name}]`, text, 'must be greater than or equal to 0')]
      : [],
  )
}

function checkTolerations(tolerations: readonly Toleration[]): readonly Finding[] {
  const seen = new Set<string>()
  return tolerations.flatMap((toleration, index) => {
    const { key, operator, value, effect } = toleration
    const identity = JSON.stringify([key, operator, value, effect])
    if (seen.has(identity)) return [duplicate(`scheduling.tolerations[${index}]`, toleration)]
    seen.add(identity)
    return []
  })
}
