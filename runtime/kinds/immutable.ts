/** Fields that keep the value they were created with. */
import { equal } from '../kernel/equal.ts'
import { valueAt } from '../kernel/paths.ts'
import { invalid } from './findings.ts'
import type { Rule } from './kinds.ts'

/** The rule of a kind whose schema calls these fields immutable: an update that changes one is refused. */
export function immutable(paths: readonly string[]): Rule {
  return {
    validate(object, old) {
      if (old === undefined) return []
      return paths.flatMap((path) => {
        const value = valueAt(object, path)
        if (equal(value, valueAt(old, path))) return []
        return [invalid(path, value, 'field is immutable')]
      })
    },
  }
}
