/** What lists of Endpoints and EndpointSlices show: the first few addresses and ports. */
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { Endpoints } from '../core/service/endpoints.ts'
import type { EndpointSlice } from '../discovery/endpoint-slice.ts'
import { formatFirst } from './format.ts'

const most = 3

/** `10.0.0.1:80,[fd00::1]:80`: each address with each port. */
export function endpointAddresses(object: ApiObject): string {
  const found = ((object as Endpoints).subsets ?? []).flatMap(({ addresses, ports }) => {
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
export function slicePorts(object: ApiObject): string {
  const ports = ((object as EndpointSlice).ports ?? []).map(({ port }) => String(port ?? '*'))
  return formatFirst(ports, most, ',') || '<unset>'
}

export function sliceAddresses(object: ApiObject): string {
  const found = ((object as EndpointSlice).endpoints ?? []).flatMap(
    ({ addresses }) => addresses ?? [],
  )
  return formatFirst(found, most, ',') || '<unset>'
}
