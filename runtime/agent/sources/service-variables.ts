import type { Service } from '../../../generated/apis/core/v1/service.ts'
import type { Stored } from '../../kernel/meta/object.ts'

/** The variables by which pods of a namespace find services: the service of the API server, and with `links` those of the namespace. */
export function serviceVariables(
  services: readonly Stored<Service>[],
  namespace: string,
  apiService: string,
  links = true,
): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (const service of services) {
    const { name, namespace: own } = service.metadata
    const isApi = own === 'default' && name === apiService
    if ((links && own === namespace) || isApi) addVariables(values, service)
  }
  return values
}

function addVariables(values: Map<string, string>, { metadata, spec }: Stored<Service>): void {
  const { clusterIP = '', ports = [] } = spec ?? {}
  const [first] = ports
  if (clusterIP === '' || clusterIP === 'None' || first === undefined) return
  const prefix = metadata.name.toUpperCase().replaceAll('-', '_')
  values.set(`${prefix}_SERVICE_HOST`, clusterIP)
  values.set(`${prefix}_SERVICE_PORT`, String(first.port))
  for (const { name, port } of ports) {
    if (name)
      values.set(`${prefix}_SERVICE_PORT_${name.toUpperCase().replaceAll('-', '_')}`, String(port))
  }
  const address = (port: number, protocol: string) => `${protocol.toLowerCase()}://${host}:${port}`
  const host = clusterIP.includes(':') ? `[${clusterIP}]` : clusterIP
  values.set(`${prefix}_PORT`, address(first.port, first.protocol ?? 'TCP'))
  for (const { port, protocol = 'TCP' } of ports) {
    const own = `${prefix}_PORT_${port}_${protocol.toUpperCase()}`
    values.set(own, address(port, protocol))
    values.set(`${own}_PROTO`, protocol.toLowerCase())
    values.set(`${own}_PORT`, String(port))
    values.set(`${own}_ADDR`, clusterIP)
  }
}
