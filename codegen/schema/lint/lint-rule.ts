import type { Built } from '../build/build.ts'
import type { Report } from '../finding.ts'
import type { Api, NamedType } from '../ir.ts'

/** A rule looks at everything that was built and reports what breaks it. It never changes anything. */
export type LintRule = (built: Built, report: Report) => void

/** Looks types up by id. What a broken reference leaves behind is not there: rules pass over it. */
export function typesById({ api }: Built): ReadonlyMap<string, NamedType> {
  const types = known.get(api) ?? new Map(api.types.map((type) => [type.id, type]))
  known.set(api, types)
  return types
}

const known = new WeakMap<Api, ReadonlyMap<string, NamedType>>()
