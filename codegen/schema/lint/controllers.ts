/** Lint: the controllers of the controller manager. */
import { didYouMean } from '../../../runtime/kernel/values/spelling.ts'
import type { LintRule } from './lint-rule.ts'

/** A controller needs gates that exist, and has a name of words and hyphens. */
export const checkControllers: LintRule = ({ api }, report) => {
  const gates = new Set(api.features.map(({ gate }) => gate))
  for (const { controller, alias, account, gates: needed = [], at } of api.controllers) {
    for (const name of [controller, account, ...(alias === undefined ? [] : [alias])]) {
      if (/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) continue
      report(at, 'bad-controller', `"${name}" must be lower-case words with hyphens between them`)
    }
    for (const gate of needed) {
      if (gates.has(gate)) continue
      const message = `"${controller}" needs the gate "${gate}", which features.yaml does not have`
      report(at, 'unknown-gate', message + didYouMean(gate, gates))
    }
  }
}
