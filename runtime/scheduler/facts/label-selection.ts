import {
  type LabelRequirement,
  type LabelSelectorFields,
  labelRequirementsOf,
  matchesLabels,
} from '../../kernel/meta/label-selector.ts'

/** Whose labels are looked at: pods that are alike share one. */
export interface Labelled {
  readonly namespace: string
  readonly labels: Readonly<Record<string, string>>
}

/** A label selector which remembers what it was asked of. */
export class LabelSelection {
  /** Undefined selects nothing, none everything. */
  readonly requirements: readonly LabelRequirement[] | undefined
  readonly #known = new WeakMap<Labelled, boolean>()

  constructor(requirements: readonly LabelRequirement[] | undefined) {
    this.requirements = requirements
  }

  get isEmpty(): boolean {
    return this.requirements?.length === 0
  }

  matches(one: Labelled): boolean {
    const known = this.#known.get(one)
    if (known !== undefined) return known
    const found = this.matchesLabels(one.labels)
    this.#known.set(one, found)
    return found
  }

  matchesLabels(labels: Readonly<Record<string, string>>): boolean {
    return this.requirements !== undefined && matchesLabels(this.requirements, labels)
  }
}

/** The selection of a selector as objects hold it; one that is absent selects nothing. */
export function selectionOf(selector: LabelSelectorFields | undefined | null): LabelSelection {
  return new LabelSelection(selector ? labelRequirementsOf(selector) : undefined)
}
