import type { ControllerName } from '../../generated/controllers.ts'
import type { ControllerFacts } from '../kernel/descriptors/controller-facts.ts'
import type { EnabledGates } from '../kernel/descriptors/enabled-gates.ts'
import { didYouMean } from '../kernel/values/spelling.ts'

/** Which controllers are to run, and what is wrong with the words that say so. */
export interface SelectedControllers {
  readonly selected: readonly ControllerFacts<ControllerName>[]
  /** Those that words name one by one, and that do not run for want of a cloud provider. */
  readonly withoutCloud: readonly ControllerName[]
  /** The same for want of feature gates, with those that are off. */
  readonly withoutGates: readonly UngatedController[]
  readonly problems: readonly string[]
}

/** A controller that was named, and the gates of its own that are off. */
export interface UngatedController {
  readonly controller: ControllerName
  readonly gates: readonly string[]
}

/** What controllers are selected by, beside words. */
export interface SelectionFacts {
  readonly controllers: readonly ControllerFacts<ControllerName>[]
  readonly gates: EnabledGates
  /** True where there is a cloud provider. */
  readonly cloud: boolean
}

/**
 * The controllers that words name: a name or alias turns one on, `-name` turns it off, `*` is all that are on by default; the first word about
 * a controller counts. One whose gates are not all on does not run, nor one of a cloud provider without one.
 */
export function selectControllers(
  words: readonly string[],
  { controllers, gates, cloud }: SelectionFacts,
): SelectedControllers {
  const byName = new Map(
    controllers.flatMap((one) => {
      const names = one.alias === undefined ? [one.controller] : [one.controller, one.alias]
      return names.map((name) => [name as string, one] as const)
    }),
  )
  const said = new Map<ControllerFacts, boolean>()
  const problems: string[] = []
  for (const word of words.map(String).filter((each) => each !== '*')) {
    const name = word.replace(/^-/, '')
    const meant = byName.get(name)
    if (meant === undefined) {
      problems.push(`${shown(name)}: there is no such controller${didYouMean(name, byName.keys())}`)
    } else if (!said.has(meant)) said.set(meant, !word.startsWith('-'))
  }
  const all = words.includes('*')
  const isOn = (one: ControllerFacts): boolean => said.get(one) ?? (all && one.off !== true)
  const off = ({ gates: needed = [] }: ControllerFacts) => needed.filter((gate) => !gates.has(gate))
  const wanted = controllers.filter((one) => isOn(one) && off(one).length === 0)
  const named = controllers.filter((one) => said.get(one) === true)
  const misses = (one: ControllerFacts): boolean => !cloud && one.cloud === true
  return {
    selected: wanted.filter((one) => !misses(one)),
    withoutCloud: named.filter(misses).map(({ controller }) => controller),
    withoutGates: named
      .map((one) => ({ controller: one.controller, gates: off(one) }))
      .filter((one) => one.gates.length > 0),
    problems,
  }
}

/** A word as messages show it: in quotes where one could not see where it ends. */
function shown(word: string): string {
  return /^\S+$/.test(word) ? word : JSON.stringify(word)
}
