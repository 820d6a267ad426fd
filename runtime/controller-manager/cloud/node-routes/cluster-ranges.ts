import type { OrchControllerManagerConfiguration } from '../../../../generated/config/manager/v1alpha1.ts'
import { parseRange, type Range } from '../../../kernel/values/ip-ranges.ts'

/** The ranges within which routes are the cluster's, or why there cannot be any. */
export interface RoutedRanges {
  /** Empty where routes are not to be made. */
  readonly ranges: readonly Range[]
  readonly problems: readonly string[]
}

/** Within which ranges a configuration asks for routes. */
export function routedRanges({
  OrchCloudShared: { AllocateNodeCIDRs, ConfigureCloudRoutes, ClusterCIDR },
}: Pick<OrchControllerManagerConfiguration, 'OrchCloudShared'>): RoutedRanges {
  if (!AllocateNodeCIDRs || !ConfigureCloudRoutes) return { ranges: [], problems: [] }
  const ranges = ClusterCIDR.split(',').flatMap((text) => parseRange(text.trim()) ?? [])
  if (ranges.length > 0) return { ranges, problems: [] }
  return { ranges, problems: ['--cluster-cidr: must be set with --allocate-node-cidrs'] }
}
