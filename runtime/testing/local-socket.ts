import type { ApiServerOptions } from '../apiserver/apiserver.ts'
import { createAuthority, issueCertificate } from '../certificates/certificates.ts'
import { type Clock, systemClock } from '../kernel/async/clock.ts'

/** How a control plane listens on this machine, and what a client of it needs. */
export interface LocalSocket {
  readonly options: Pick<ApiServerOptions, 'listen' | 'secure'>
  /** Authority, certificate and key of an administrator; none without TLS. */
  readonly credentials: { readonly ca?: string; readonly cert?: string; readonly key?: string }
}

const [host, port] = ['127.0.0.1', 0]
const year = 365 * 86_400_000

/** A free port; with TLS, its certificates hold by the clock of the control plane and by that of this machine. */
export async function localSocket(socket: boolean | 'tls', clock: Clock): Promise<LocalSocket> {
  if (socket === false) return { options: {}, credentials: {} }
  if (socket === true) return { options: { listen: { host, port } }, credentials: {} }
  const times = [clock.now(), systemClock.now()]
  const lasts = { validFrom: Math.min(...times) - year, validUntil: Math.max(...times) + year }
  const authority = await createAuthority({ commonName: 'test authority', ...lasts })
  const certificate = await issueCertificate(
    { commonName: 'test', usages: ['server'], hosts: ['localhost', host], ...lasts },
    authority,
  )
  const admin = await issueCertificate(
    { commonName: 'admin', organizations: ['system:masters'], usages: ['client'], ...lasts },
    authority,
  )
  const clientAuthorities = { pem: authority.cert }
  return {
    options: { secure: { host, port, certificate, clientAuthorities } },
    credentials: { ca: authority.cert, ...admin },
  }
}
