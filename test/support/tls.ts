import { request } from 'node:https'
import type { ConnectionOptions } from 'node:tls'
import {
  type CertificateFacts,
  type CertificatePair,
  createAuthority,
  issueCertificate,
} from '../../runtime/certificates/certificates.ts'

const day = 86_400_000

/** From yesterday to tomorrow. */
export const validity = { validFrom: Date.now() - day, validUntil: Date.now() + day }

/** An authority of a test, known to nobody who is not shown it. */
export function newAuthority(commonName = 'test authority'): Promise<CertificatePair> {
  return createAuthority({ commonName, ...validity })
}

/** A certificate for 127.0.0.1 and localhost. */
export function serverPair(
  authority: CertificatePair,
  hosts: readonly string[] = ['localhost', '127.0.0.1'],
): Promise<CertificatePair> {
  return issueCertificate(
    { commonName: 'server', usages: ['server'], hosts, ...validity },
    authority,
  )
}

/** A certificate of a user. */
export function clientPair(
  authority: CertificatePair,
  commonName: string,
  organizations: readonly string[] = [],
  facts: Partial<CertificateFacts> = {},
): Promise<CertificatePair> {
  return issueCertificate(
    { commonName, organizations, usages: ['client'], ...validity, ...facts },
    authority,
  )
}

/** A response, and the connection that brought it. */
export interface TlsResponse {
  readonly status: number
  readonly text: string
  /** What the server showed, by the common name. */
  readonly shown: string
}

/** Sends a GET over a connection of its own, or the one that an agent keeps. */
export function getOverTls(
  url: string,
  options: ConnectionOptions & {
    readonly headers?: Readonly<Record<string, string | string[]>>
    readonly agent?: import('node:https').Agent
  },
): Promise<TlsResponse> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent: false, ...options } as object, (response) => {
      const socket = response.socket as import('node:tls').TLSSocket
      const shown = String(socket.getPeerCertificate().subject?.CN ?? '')
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text, shown }))
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end()
  })
}
