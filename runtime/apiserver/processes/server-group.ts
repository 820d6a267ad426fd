import type { SigningKey } from '../../auth/auth.ts'
import type { MetricValues } from '../../observe/observe.ts'
import type { PortOpener } from '../../server/server.ts'

/** What the processes of one server have of each other, beside their store. */
export interface ServerGroup {
  /** From 1 on. The first does what a server does once, such as removing expired events. */
  readonly number: number
  /** Signs tokens of service accounts where no key for that is given: what one signs all verify. */
  readonly tokenKey: () => SigningKey
  /** Takes connections in turn with the others, from the port that all have under this name. */
  listen(name: string, ...to: Parameters<PortOpener>): ReturnType<PortOpener>
  /** Tells the others what this process counts, whenever they ask. */
  shareMetrics(values: () => MetricValues): void
  /** What the others have counted by now. */
  otherMetrics(): Promise<readonly MetricValues[]>
}
