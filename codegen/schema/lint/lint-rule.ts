/** The contract of lint rules. */
import type { Built } from '../build/build.ts'
import type { Report } from '../finding.ts'
import type { Api } from '../ir.ts'
import type { NamedType } from '../named-type.ts'

/** Reports what breaks one rule, anywhere in what was built. It changes nothing. */
export type LintRule = (built: Built, report: Report) => void

/** The types by id; what a broken reference leaves behind is not among them, and rules pass over it. */
export function typesById({ api }: Built): ReadonlyMap<string, NamedType> {
  const types = known.get(api) ?? new Map(api.types.map((type) => [type.id, type]))
  known.set(api, types)
  return types
}

/** The result of `typesById` for each representation. */
const known = new WeakMap<Api, ReadonlyMap<string, NamedType>>()
