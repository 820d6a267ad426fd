import type { SigningKey } from '../../auth/auth.ts'
import type { MetricValues } from '../../observe/observe.ts'

/** What the processes of one server have of each other, beside their store. */
export interface ServerGroup {
  /** From 1 on. The first does what a server does once, such as removing expired events. */
  readonly number: number
  /** Signs tokens of service accounts where no key for that is given: what one signs all verify. */
  readonly tokenKey: () => SigningKey
  /** Tells the others what this process counts, whenever they ask. */
  shareMetrics(values: () => MetricValues): void
  /** What the others have counted by now. */
  otherMetrics(): Promise<readonly MetricValues[]>
}
