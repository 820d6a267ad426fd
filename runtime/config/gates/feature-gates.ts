import { currentRelease, type FeatureGate } from '../../kernel/descriptors/feature-gate.ts'
import { didYouMean } from '../../kernel/values/spelling.ts'

/** The result of setting gates. If there are errors, no gate is changed. Warnings are for the operator. */
export interface FeatureGateChange {
  /** The gates as set; unchanged if there are errors. */
  readonly gates: FeatureGates
  /** One for each gate that is set although it is GA or deprecated. */
  readonly warnings: readonly string[]
  /** Messages by the name of the gate. */
  readonly errors: ReadonlyMap<string, string>
}

/** Gates that switch every gate of a stage that is not set by its own name. */
const groups: Readonly<Record<string, 'Alpha' | 'Beta'>> = { AllAlpha: 'Alpha', AllBeta: 'Beta' }

/**
 * The feature gates of a program, and which of them are on; immutable. A gate that is not set has the default of the release:
 * alpha features are off, beta features on, generally available ones are on and locked. A gate that is not in the table is
 * unknown, as are those that were removed (document 1, section 3: feature-gate life cycle).
 */
export class FeatureGates {
  readonly #table: ReadonlyMap<string, FeatureGate>
  readonly #set: ReadonlyMap<string, boolean>

  /** `set` are gates that were set by name; they are taken as they are. To check them, use `with`. */
  constructor(table: readonly FeatureGate[], set: ReadonlyMap<string, boolean> = new Map()) {
    this.#table = new Map(table.map((gate) => [gate.gate, gate]))
    this.#set = set
  }

  /** True for a gate that is on; false for one that is off or unknown. */
  enabled(name: string): boolean {
    const gate = this.find(name)
    if (gate === undefined) return false
    const set = this.#set.get(name)
    if (set !== undefined) return set
    const { stage, default: value, locked } = currentRelease(gate)
    const group = Object.keys(groups).find((each) => groups[each] === stage && each !== name)
    const all = group === undefined || locked === true ? undefined : this.#set.get(group)
    return all ?? value
  }

  /** The names of the gates that are on. Of a vendor's gates, only those that are set by name. */
  get on(): ReadonlySet<string> {
    const names = [...this.#table.keys()].filter((name) => !name.includes('<'))
    return new Set([...names, ...this.#set.keys()].filter((name) => this.enabled(name)))
  }

  /** A gate by its name; `<vendor>` in the table stands for any letters and digits. */
  find(name: string): FeatureGate | undefined {
    const exact = name.includes('<') ? undefined : this.#table.get(name)
    if (exact !== undefined) return exact
    for (const [pattern, gate] of this.#table) {
      const [head, tail] = pattern.split('<vendor>')
      if (tail === undefined || head === undefined) continue
      if (!name.startsWith(head) || !name.endsWith(tail)) continue
      if (/^[A-Za-z0-9]+$/.test(name.slice(head.length, name.length - tail.length))) return gate
    }
    return undefined
  }

  /** These gates with some of them set. A locked gate can be set to its default only. */
  with(values: ReadonlyMap<string, boolean>): FeatureGateChange {
    const warnings: string[] = []
    const errors = new Map<string, string>()
    for (const [name, value] of values) {
      const gate = this.find(name)
      if (gate === undefined) {
        errors.set(
          name,
          `unrecognized feature gate: ${name}${didYouMean(name, this.#table.keys())}`,
        )
        continue
      }
      const { stage, default: fixed, locked } = currentRelease(gate)
      if ((locked === true || stage === 'GA') && value !== fixed) {
        const message = `cannot set feature gate ${name} to ${value}, feature is locked to ${fixed}`
        errors.set(name, message)
      } else if (stage === 'GA' || stage === 'Deprecated') {
        const word = stage === 'GA' ? 'GA' : 'deprecated'
        warnings.push(
          `Setting ${word} feature gate ${name}=${value}. It will be removed in a future release.`,
        )
      }
    }
    const set = new Map([...this.#set, ...values])
    return { gates: errors.size > 0 ? this : this.#copy(set), warnings, errors }
  }

  /** The same table with other gates set. */
  #copy(set: ReadonlyMap<string, boolean>): FeatureGates {
    return new FeatureGates([...this.#table.values()], set)
  }
}

/** The values of a flag such as `--feature-gates` as booleans. */
export function parseGateSwitches(
  pairs: ReadonlyMap<string, string>,
): ReadonlyMap<string, boolean> {
  return new Map([...pairs].map(([name, value]) => [name, value === 'true']))
}
