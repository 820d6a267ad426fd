/**
 * Feature gates as generated from `schemas/features.yaml`. `runtime/config` applies what a command line sets; every other
 * module is given the set of names that are on.
 */

/** How far a feature has come. Deprecated features never became generally available, or are on their way out. */
export type FeatureStage = 'Alpha' | 'Beta' | 'GA' | 'Deprecated'

/** The stage and default of a gate from a release on. */
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
  /** Oldest first, up to the release of the scheme; the last one is current. Never empty. */
  readonly releases: readonly FeatureRelease[]
}

/** The current stage and default of a gate. */
export function currentRelease({ releases }: FeatureGate): FeatureRelease {
  return releases.at(-1)!
}
