import { readConstraints } from '../constraints.ts'
import { keywordPrefix } from '../markers.ts'
import { get } from '../node.ts'
import type { Rule } from './rule.ts'

/** A constraint of a struct is one of those that there are, about fields of that struct. */
export const checkConstraints: Rule = ({ definitions }, report) => {
  for (const { name, node, schema } of definitions.fresh) {
    if (!schema.markers.has('constraints')) continue
    const fields = (schema.properties ?? []).map((property) => property.name)
    const what = `a field of "${name}"`
    readConstraints(get(node, `${keywordPrefix}constraints`), fields, what, report)
  }
}
