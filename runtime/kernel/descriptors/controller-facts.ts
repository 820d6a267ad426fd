/** The controllers of the controller manager as generated from `schemas/controllers.yaml`. */

/** What is said of a controller beside what it does. */
export interface ControllerFacts<Name extends string = string> {
  /** Its name in logs, metrics, health checks and `--controllers`. */
  readonly controller: Name
  /** The older name that still means it. */
  readonly alias?: string
  /** The service account that it acts as where each controller has its own. */
  readonly account: string
  /** The path in the configuration of the number of keys that it works on at a time. */
  readonly concurrency?: string
  /** The feature gates all of which must be on. */
  readonly gates?: readonly string[]
  /** It runs only if it is named. */
  readonly off?: boolean
  /** It runs only where there is a cloud provider. */
  readonly cloud?: boolean
}
