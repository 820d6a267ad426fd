import { selectionProblems } from '../admission/admission.ts'
import {
  defaultServiceRanges,
  type Pools,
  rangeProblems,
  type ServiceRanges,
  servicePools,
} from '../apis/apis.ts'
import type { Scheme } from '../kernel/descriptors/scheme.ts'
import { advertiseProblems } from '../kernel/values/endpoint-addresses.ts'
import { servableScheme } from './capabilities.ts'
import type { ApiServerOptions } from './options.ts'
import { servedScheme } from './served-scheme.ts'
import { uncachedProblems } from './storage/uncached-resources.ts'

/** Options that were checked, and what follows from them. */
export interface Settings {
  readonly options: ApiServerOptions
  /** The part of the scheme that clients see. */
  readonly shown: Scheme
  readonly ranges: ServiceRanges
  readonly pools: Pools
}

/**
 * Checks options before anything is opened. @throws an Error that names every wrong one, one a
 * line. Nothing is opened or bound before this has passed.
 */
export function checkedSettings(options: ApiServerOptions): Settings {
  const { admission = {}, serviceRanges: ranges = defaultServiceRanges } = options
  const served = servedScheme(servableScheme(options.scheme), options.runtimeConfig ?? [])
  const problems = [
    ...served.problems,
    ...selectionProblems(admission),
    ...rangeProblems(ranges),
    ...advertiseProblems(options.advertiseAddress),
    ...snapshotProblems(options),
    ...uncachedProblems(options.scheme, options),
  ]
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return { options, shown: served.scheme, ranges, pools: servicePools(ranges) }
}

function snapshotProblems({ from, storage }: ApiServerOptions): readonly string[] {
  if (from === undefined || storage.kind === 'memory') return []
  return [`from: only a server in memory begins with a snapshot, storage is ${storage.kind}`]
}
