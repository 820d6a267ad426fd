import type { ServingFiles, ServingPair } from '../../serving/serving.ts'
import type { ServiceRouting } from './service-routes.ts'

/** How requests get to the servers that answer for other group versions. */
export interface AggregationOptions {
  /** The certificate by which those servers know this one, and believe what it says of users. Default: none is shown. */
  readonly certificate?: ServingPair | ServingFiles
  /** Whether they are found at the address of their service, or at one of its endpoints. Default: at the address. */
  readonly routing?: ServiceRouting
  /** Whether answers that send clients elsewhere are passed back. Default: they are refused. */
  readonly passesRedirects?: boolean
}
