/** Fields that keep the value they were created with. */

import { invalid } from '../../kernel/validation/field-errors.ts'
import { isSelector, shownSelector } from '../../kernel/validation/go-value.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { valueAtPath } from '../../kernel/values/dotted-path.ts'
import type { Strategy } from './strategy.ts'

/**
 * The rule of a kind whose schema calls these fields immutable: an update that changes one is
 * refused. Paths are dotted. A field that is absent before and after is unchanged; one that was
 * added or taken away is not. Errors come in the order of `paths`.
 */
export function immutable(paths: readonly string[]): Strategy {
  return {
    validate(object, old) {
      if (old === undefined) return []
      return paths.flatMap((path) => {
        const value = valueAtPath(object, path)
        if (deepEqual(value, valueAtPath(old, path))) return []
        return [invalid(path, shownAt(path, value), 'field is immutable')]
      })
    },
  }
}

/** Selectors are shown as such, also empty ones; a controller that is left out is an empty text. */
function shownAt(path: string, value: unknown): unknown {
  if (path.endsWith('elector') && isSelector(value)) return shownSelector(value)
  return path.endsWith('controller') ? (value ?? '') : value
}
