/** Cells of Endpoints and EndpointSlices: the first few addresses and ports. */
import type { Endpoints } from '../../../generated/apis/core/v1/endpoints.ts'
import type { EndpointSlice } from '../../../generated/apis/discovery/v1.ts'
import type { LooseObject } from '../../kernel/walker/loose.ts'
import { formatFirst } from './format.ts'

const most = 3

/** `10.0.0.1:80,[fd00::1]:80`: each address with each port. */
export function endpointAddresses({ subsets }: LooseObject<Endpoints>): string {
  const found = (subsets ?? []).flatMap(({ addresses, ports }) => {
    const ips = (addresses ?? []).map(({ ip = '' }) => ip)
    if (!ports?.length) return ips
    return ports.flatMap(({ port }) => ips.map((ip) => hostPort(ip, port ?? 0)))
  })
  return formatFirst(found, most, ',') || '<none>'
}

function hostPort(ip: string, port: number): string {
  return ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`
}

/** The ports of a slice; one without a number stands for all. */
export function slicePorts({ ports }: LooseObject<EndpointSlice>): string {
  const numbers = (ports ?? []).map(({ port }) => String(port ?? '*'))
  return formatFirst(numbers, most, ',') || '<unset>'
}

/** The addresses of all endpoints of a slice. */
export function sliceAddresses({ endpoints }: LooseObject<EndpointSlice>): string {
  const found = (endpoints ?? []).flatMap(({ addresses }) => addresses ?? [])
  return formatFirst(found, most, ',') || '<unset>'
}
