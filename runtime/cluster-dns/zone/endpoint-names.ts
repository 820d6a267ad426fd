/** The endpoints of a service that have no address of its own. */

import type { EndpointSlice } from '../../../generated/apis/discovery/v1.ts'
import type { Stored } from '../../kernel/meta/object.ts'

/** An endpoint under its name. */
export interface NamedEndpoint {
  /** The host name it has, or its address with hyphens. */
  readonly label: string
  readonly hasHostname: boolean
  readonly address: string
  readonly family: 4 | 6
  readonly ports: NonNullable<EndpointSlice['ports']>
}

/** The endpoints that are ready. */
export function namedEndpoints(slices: readonly Stored<EndpointSlice>[]): readonly NamedEndpoint[] {
  return slices
    .filter(({ addressType }) => addressType !== 'FQDN')
    .flatMap(({ addressType, endpoints, ports }) =>
      (endpoints ?? [])
        .filter(({ conditions }) => conditions?.ready !== false)
        .flatMap(({ addresses, hostname = '' }) =>
          addresses.slice(0, 1).map((address) => ({
            label: (hostname || dashed(address)).toLowerCase(),
            hasHostname: hostname !== '',
            address,
            family: addressType === 'IPv6' ? (6 as const) : (4 as const),
            ports: ports ?? [],
          })),
        ),
    )
}

/** An address as a label. */
function dashed(address: string): string {
  return address.replace(/[.:]/g, '-')
}
