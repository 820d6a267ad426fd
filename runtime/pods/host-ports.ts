import type { PodSpec } from '../../generated/apis/core/v1/pod.ts'

/** A port of its node that a pod takes. */
export interface HostPort {
  readonly ip: string
  readonly protocol: string
  readonly port: number
}

/** All addresses of a node. */
const everywhere = '0.0.0.0'

/** The ports of its node that the containers of a pod take; init containers take none. */
export function hostPortsOf({ containers = [] }: Partial<PodSpec>): readonly HostPort[] {
  return containers.flatMap(({ ports = [] }) =>
    ports
      .filter(({ hostPort = 0 }) => hostPort > 0)
      .map(({ hostPort = 0, hostIP, protocol }) => ({
        ip: hostIP || everywhere,
        protocol: protocol || 'TCP',
        port: hostPort,
      })),
  )
}

/** True for two ports that are taken at the same address. */
export function hostPortsConflict(a: HostPort, b: HostPort): boolean {
  return (
    a.port === b.port &&
    a.protocol === b.protocol &&
    (a.ip === b.ip || a.ip === everywhere || b.ip === everywhere)
  )
}
