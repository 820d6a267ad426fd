/** Lint: the releases that brought kinds and fields. */
import { kindBlock, walkSchema } from '../build/json-schema.ts'
import type { LintRule } from './lint-rule.ts'

/** `x-orch-since` is a release, on a kind or a field. */
export const checkSince: LintRule = ({ definitions }, report) => {
  for (const { name, node, schema } of definitions.fresh) {
    const own = schema.markers.get('since')
    if (own !== undefined && kindBlock(node) === undefined) {
      const message = `"${name}" is no kind: the fields of its type came in a release`
      report(own.keyAt, 'since-release', message)
    }
    walkSchema(schema, ({ markers }) => {
      const since = markers.get('since')
      if (since === undefined || /^1\.\d{1,3}$/.test(String(since.value))) return
      const message = `"${since.value}" is no release; expected 1.MINOR, such as "1.27"`
      report(since.at, 'since-release', message)
    })
  }
}
