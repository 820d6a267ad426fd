/** What admission promises to its callers: one `Admission` a server, one `AdmissionPass` a request. */
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { RequestAttributes } from './attributes.ts'

/** Admits one request: first the mutating plugins, then the validating ones. */
export interface AdmissionPass {
  /**
   * Runs the mutating plugins in order and returns the object as they leave it: the same reference if no plugin changed it.
   *
   * @throws StatusError if a plugin rejects the request
   */
  mutate<T extends ApiObject | undefined>(object: T, oldObject?: ApiObject): Promise<T>
  /**
   * Runs the validating plugins in order on the object as it will be stored.
   *
   * @throws StatusError if a plugin rejects the request
   */
  validate(object: ApiObject | undefined, oldObject?: ApiObject): Promise<void>
  /** The warnings so far, each text once. */
  readonly warnings: readonly string[]
  /** The audit annotations so far. */
  readonly annotations: ReadonlyMap<string, string>
  /**
   * Tells the plugins whether the object was stored, so that they can give back what they reserved. To be called exactly
   * once for each pass. Never rejects: an error of a plugin is logged.
   */
  settle(stored: boolean): Promise<void>
}

/** The admission chain of a server. */
export interface Admission {
  /** Begins the pass of a request; undefined if no plugin handles the operation on that resource. */
  begin(attributes: RequestAttributes): AdmissionPass | undefined
  /** Closes the plugins with their connections. */
  close(): void
}
