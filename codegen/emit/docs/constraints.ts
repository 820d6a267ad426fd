/** Constraints between settings as sentences. */
import {
  type SettingConstraint,
  textFormats,
} from '../../../runtime/kernel/options/setting-constraints.ts'
import { code } from './markdown.ts'

/**
 * What a constraint demands of the setting that it is about. `show` gives the name of another setting as a reader types
 * it.
 * Each sentence ends with a full stop, so that cells can join several with a blank:
 *
 *   Not together with `--token-auth-file`. Needs the gate `NodeSwap`.
 */
export function constraintText(
  constraint: SettingConstraint,
  show: (name: string) => string,
): string {
  const list = (words: readonly string[]) => words.map(code).join(', ')
  switch (constraint.is) {
    case 'exclusive':
      return `Not together with ${list(constraint.others.map(show))}.`
    case 'needs': {
      const lead = constraint.value === undefined ? 'Needs' : `${code(constraint.value)} needs`
      return `${lead} ${code(show(constraint.other))}.`
    }
    case 'together':
      return `Only together with ${code(show(constraint.other))}.`
    case 'members':
      return `Each is one of ${list(constraint.values)}.`
    case 'format':
      return `Format: ${textFormats[constraint.format]}.`
    case 'switches':
      return `A star, or with a hyphen before it to turn it off: ${list(constraint.values)}.`
    case 'labels': {
      const { domains, prefixes, values } = constraint
      return `Of ${list(domains)} only labels under ${list(prefixes)}, and ${list(values)}.`
    }
    case 'gate': {
      const lead = constraint.value === undefined ? 'Needs' : `${code(constraint.value)} needs`
      return `${lead} the gate ${code(constraint.gate)}.`
    }
  }
}
