import { type LabelRequirement, matchesLabels } from '../../kernel/meta/label-selector.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'

interface Claim {
  readonly namespace: string
  readonly name: string
  readonly requirements: readonly LabelRequirement[]
}

/** Which pods autoscalers select: what each of them scaled when it was last looked at. */
export class ClaimedPods {
  readonly #claims = new Map<string, Claim>()

  claim(id: string, claim: Claim): void {
    this.#claims.set(id, claim)
  }

  forget(id: string): void {
    this.#claims.delete(id)
  }

  /** Those that select one of some pods of a namespace, by name. */
  claimants(namespace: string, pods: readonly Stored<ApiObject>[]): readonly Claim[] {
    return [...this.#claims.values()]
      .filter(
        (one) =>
          one.namespace === namespace &&
          pods.some(({ metadata }) => matchesLabels(one.requirements, metadata.labels)),
      )
      .sort((one, other) => (one.name < other.name ? -1 : 1))
  }
}
