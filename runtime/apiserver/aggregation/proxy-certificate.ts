import type { ServingPair } from '../../serving/serving.ts'
import { followPair } from '../../serving/serving.ts'
import type { Lifecycle } from '../lifecycle.ts'
import type { ApiServerOptions } from '../options.ts'

/** By what other servers know this one, now; undefined where nothing is shown. */
export async function proxyCertificate(
  { aggregation, clock, log }: ApiServerOptions,
  { signal }: Lifecycle,
): Promise<() => ServingPair | undefined> {
  let current: ServingPair | undefined
  const { certificate } = aggregation ?? {}
  if (certificate !== undefined) {
    await followPair(certificate, { clock, log, signal }, ({ cert, key }) => {
      current = { cert, key }
    })
  }
  return () => current
}
