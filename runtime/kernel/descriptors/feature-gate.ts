/**
 * Feature gates as generated from `schemas/features.yaml`: facts only. `runtime/config` reads what a command line says
 * about them; everything else asks the set of those that are on.
 */

/** How far a feature has come. Deprecated features never became generally available, or are on their way out. */
export type FeatureStage = 'Alpha' | 'Beta' | 'GA' | 'Deprecated'

/** What a gate is from a release on. */
export interface FeatureRelease {
  readonly since: string
  readonly stage: FeatureStage
  readonly default: boolean
  /** The default is the only value. */
  readonly locked?: boolean
}

/** A gate. One with `<vendor>` in its name stands for one gate of each vendor. */
export interface FeatureGate {
  readonly gate: string
  readonly description: string
  /** Oldest first, up to the release of the tree: the last one holds. Never empty. */
  readonly releases: readonly FeatureRelease[]
}

/** What holds for a gate now. */
export function currentRelease({ releases }: FeatureGate): FeatureRelease {
  return releases.at(-1)!
}
