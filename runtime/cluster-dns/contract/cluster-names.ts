import type { Service } from '../../../generated/apis/core/v1/service.ts'
import type { EndpointSlice } from '../../../generated/apis/discovery/v1.ts'
import type { Stored } from '../../kernel/meta/object.ts'

/** What has names. */
export interface ClusterNames {
  service(namespace: string, name: string): Stored<Service> | undefined
  hasNamespace(name: string): boolean
  slicesOf(namespace: string, service: string): readonly Stored<EndpointSlice>[]
  /** Services with that cluster address, and slices with an endpoint there. */
  servicesAt(address: string): readonly Stored<Service>[]
  slicesAt(address: string): readonly Stored<EndpointSlice>[]
  /** The name of the service that a slice is of. */
  serviceOf(slice: Stored<EndpointSlice>): string | undefined
}
