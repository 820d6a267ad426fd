import { hint } from '../../../runtime/kernel/nearest.ts'
import { readConstraints } from '../constraints.ts'
import { keywordPrefix } from '../markers.ts'
import { get } from '../node.ts'
import { fieldAt } from '../option-field.ts'
import { type Rule, typesById } from './rule.ts'

/** A constraint of a struct is one of those that there are, about fields of that struct or of structs in it. */
export const checkConstraints: Rule = (built, report) => {
  const types = typesById(built)
  for (const { id, name, node, schema } of built.definitions.fresh) {
    if (!schema.markers.has('constraints')) continue
    const struct = types.get(id)
    const missing = (path: string): string | undefined => {
      if (struct?.is !== 'struct') return undefined
      const found = fieldAt(path, struct, built.api.types)
      if (found.field !== undefined) return undefined
      return `"${path}" is not a field of "${name}"${hint(found.missing, found.among)}`
    }
    readConstraints(get(node, `${keywordPrefix}constraints`), missing, report)
  }
}
