/** `healthz` and `livez` fail for a process that has to be restarted, `readyz` for one that should get no requests now. */
export type HealthEndpoint = 'healthz' | 'livez' | 'readyz'

/** One condition of being healthy. Without `endpoints` it counts for all of them. */
export interface HealthCheck {
  readonly name: string
  readonly endpoints?: readonly HealthEndpoint[]
  /** True for a step that is taken once, at the start: livez may be given time for it. */
  readonly startup?: boolean
  /** Throws, or rejects, if the condition does not hold; the message says why. */
  readonly check: () => void | Promise<void>
}
