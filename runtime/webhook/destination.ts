import type { Agent } from 'node:https'
import type {
  ServiceReference,
  WebhookClientConfig,
} from '../../generated/apis/admissionregistration/v1/webhook.ts'
import { errorText } from '../kernel/errors/error-text.ts'

/** The address of a service. */
export interface ServiceEndpoint {
  readonly host: string
  readonly port: number
}

/** Finds the address of a service by its namespace, name and port. Rejects if it has none. */
export type ServiceResolver = (
  namespace: string,
  name: string,
  port: number,
) => Promise<ServiceEndpoint>

/** Where a request goes, and which certificate the server has to have. */
export interface WebhookDestination {
  readonly url: URL
  /** The URL as errors print it. */
  readonly printedUrl: string
  /** The address to connect to, if it is not that of the URL. */
  readonly host?: string
  readonly port?: number
  /** The name for SNI and the certificate; empty for an IP address. */
  readonly serverName: string
  readonly agent: Agent
}

/**
 * The destination of a client configuration.
 *
 * The timeout goes into the query, so that the webhook knows how long it has. An IP address is not
 * sent as a server name, which TLS does not allow.
 *
 * @throws Error if the service has no address
 */
export async function destinationOf(
  { url, service }: WebhookClientConfig,
  timeoutSeconds: number,
  agent: Agent,
  resolve: ServiceResolver,
): Promise<WebhookDestination> {
  const query = `timeout=${timeoutSeconds}s`
  if (service) return serviceDestination(service, query, agent, resolve)
  const target = new URL(url ?? '')
  target.pathname = cleanPath(target.pathname)
  target.search = query
  const hostname = target.hostname.replace(/^\[|\]$/g, '')
  const serverName = isIpAddress(hostname) ? '' : hostname
  return { url: target, printedUrl: target.href, serverName, agent }
}

/** Connects to the address of the service, and expects a certificate for `<name>.<namespace>.svc`. */
async function serviceDestination(
  { namespace, name, port = 443, path = '' }: ServiceReference,
  query: string,
  agent: Agent,
  resolve: ServiceResolver,
): Promise<WebhookDestination> {
  const url = new URL(`https://${name}.${namespace}.svc:${port}/`)
  url.pathname = cleanPath(path)
  url.search = query
  // `url.href` would leave out the default port, which errors print.
  const printedUrl = `https://${url.hostname}:${port}${url.pathname}${url.search}`
  const endpoint = await resolve(namespace, name, port).catch((cause: unknown) => {
    const reason = errorText(cause)
    throw new Error(`Post "${printedUrl}": ${reason}`, { cause })
  })
  return { url, printedUrl, ...endpoint, serverName: url.hostname, agent }
}

/** One slash between segments and none at the end; an encoded slash separates like a plain one. */
function cleanPath(path: string): string {
  const segments = path.replaceAll(/%2f/gi, '/').split('/')
  return `/${segments.filter((segment) => segment !== '').join('/')}`
}

function isIpAddress(name: string): boolean {
  return /^[0-9.]+$/.test(name) || name.includes(':')
}
