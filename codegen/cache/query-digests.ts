/** Digests of what a model's queries give: what an earlier run is compared by. */
import type { Model } from '../emit/model/model.ts'
import { type ModelQuery, queryModel } from '../emit/model/recording-model.ts'
import { digest } from '../print/digest.ts'

/** Digests of query results, each computed once. */
export interface QueryDigests {
  /** The digest of the result of a query; that of nothing if what it is about no longer exists. */
  digestOf(question: ModelQuery): string
}

/** Queries a model; `parts` holds the digests of types that are known, and gets those that are computed. */
export function queryDigests(model: Model, parts: WeakMap<object, string>): QueryDigests {
  const known = new Map<string, string>()
  const types = new Set(model.api.types.map(({ id }) => id))
  const partOf = (value: unknown): string => {
    if (typeof value !== 'object' || value === null) return serialise(value)
    const found = parts.get(value) ?? digest(serialise(value))
    parts.set(value, found)
    return found
  }
  return {
    digestOf(question) {
      const key = question.join('\n')
      const before = known.get(key)
      if (before !== undefined) return before
      const answer = queryModel(model, question, types)
      const found = Array.isArray(answer) ? digest(answer.map(partOf).join()) : partOf(answer)
      known.set(key, found)
      return found
    },
  }
}

/**
 * The value as JSON without lines and columns, which no generated code holds: an edit that only moves a type changes no
 * digest. The pattern cannot match inside a string, where every quote has a backslash before it.
 */
function serialise(value: unknown): string {
  return (JSON.stringify(value) ?? '').replaceAll(/"line":\d+,"column":\d+/g, '')
}
