/** Lint: constraints of structs (`x-orch-constraints`). */
import { didYouMean } from '../../../runtime/kernel/values/spelling.ts'
import { readConstraints } from '../build/constraints.ts'
import { keywordPrefix } from '../build/markers.ts'
import { fieldAt } from '../build/option-field.ts'
import { get } from '../yaml/node.ts'
import { type LintRule, typesById } from './lint-rule.ts'

/** A constraint of a struct is one of the known kinds, about fields of that struct or of structs in it. */
export const checkConstraints: LintRule = (built, report) => {
  const types = typesById(built)
  for (const { id, name, node, schema } of built.definitions.fresh) {
    if (!schema.markers.has('constraints')) continue
    const struct = types.get(id)
    const missing = (path: string): string | undefined => {
      if (struct?.is !== 'struct') return undefined
      const found = fieldAt(path, struct, built.api.types)
      if (found.field !== undefined) return undefined
      return `"${path}" is not a field of "${name}"${didYouMean(found.missing, found.among)}`
    }
    readConstraints(get(node, `${keywordPrefix}constraints`), missing, report)
  }
}
