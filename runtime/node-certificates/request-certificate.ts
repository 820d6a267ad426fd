import { createHash } from 'node:crypto'
import {
  type CertificateSigningRequest,
  certificateSigningRequests,
} from '../../generated/apis/certificates/v1.ts'
import {
  type CertificatePair,
  makeRequest,
  type RequestedSubject,
} from '../certificates/certificates.ts'
import type { Client } from '../client/client.ts'
import type { Clock } from '../kernel/async/clock.ts'
import { deadline } from '../kernel/async/deadline.ts'
import type { Platform } from '../kernel/descriptors/platform.ts'
import type { Stored } from '../kernel/meta/object.ts'

/** What a node requests. */
export interface NodeRequest {
  readonly signerName: string
  readonly subject: RequestedSubject
  readonly usages: readonly string[]
}

const nodeSubject = (nodeName: string, hosts: readonly string[]): RequestedSubject => ({
  commonName: `system:node:${nodeName}`,
  ...{ organizations: ['system:nodes'], hosts },
})

/** The certificate by which servers know the node (G-12). */
export function clientRequest(nodeName: string, { domain, prefix, agent }: Platform): NodeRequest {
  return {
    signerName: `${domain}/${prefix}-apiserver-client-${agent}`,
    subject: nodeSubject(nodeName, []),
    usages: ['digital signature', 'client auth'],
  }
}

/** The certificate that the port of the node shows. */
export function servingRequest(
  nodeName: string,
  hosts: readonly string[],
  { domain, agent }: Platform,
): NodeRequest {
  return {
    signerName: `${domain}/${agent}-serving`,
    subject: nodeSubject(nodeName, hosts),
    usages: ['digital signature', 'server auth'],
  }
}

/** Whom a request is sent to, and how long it may take. */
export interface RequestOptions {
  /** May create requests and follow them. */
  readonly client: Client
  readonly request: NodeRequest
  /** Milliseconds until a request that is not signed is given up. */
  readonly limitMs: number
  readonly clock: Clock
}

/** Makes a key, and has the cluster sign it. @throws an Error that says why there is no certificate. */
export async function requestCertificate(
  { client, request, limitMs, clock }: RequestOptions,
  signal: AbortSignal,
): Promise<CertificatePair> {
  const { signerName, subject, usages } = request
  const made = await makeRequest(subject)
  const all = client.resource(certificateSigningRequests)
  const digest = createHash('sha256').update(made.request).digest('base64url')
  const limit = deadline(clock, signal, 0, limitMs)
  try {
    const sent = await all.create(
      {
        metadata: { name: `node-csr-${digest.toLowerCase().replace(/[^a-z0-9]/g, '')}` },
        spec: {
          request: Buffer.from(made.request).toString('base64'),
          ...{ signerName, usages: usages as CertificateSigningRequest['spec']['usages'] & object },
        },
      },
      {},
      limit.signal,
    )
    const cert = await signed(sent.metadata)
    return { cert, key: made.key }
  } finally {
    limit.end()
  }

  /** The certificate, once the object has it. */
  async function signed({
    name,
    uid,
  }: Stored<CertificateSigningRequest>['metadata']): Promise<string> {
    const fieldSelector = `metadata.name=${name}`
    while (!limit.signal.aborted) {
      const { items, resourceVersion } = await all.listAll({ fieldSelector }, limit.signal)
      const [found] = items
      if (found?.metadata.uid !== uid) throw new Error(`the certificate request ${name} is gone`)
      const already = certificateIn(found)
      if (already !== undefined) return already
      for await (const { type, object } of all.watch(
        { fieldSelector, resourceVersion },
        limit.signal,
      )) {
        if (type === 'DELETED') throw new Error(`the certificate request ${name} is gone`)
        const cert = type === 'BOOKMARK' ? undefined : certificateIn(object)
        if (cert !== undefined) return cert
      }
    }
    throw new Error(`the certificate request ${name} was not signed in time`)
  }
}

/** @throws an Error for a request that was refused or has failed. */
function certificateIn({ metadata, status }: CertificateSigningRequest): string | undefined {
  const refusal = status?.conditions?.find(({ type }) => type === 'Denied' || type === 'Failed')
  if (refusal !== undefined) {
    const { type, reason = '', message = '' } = refusal
    const word = type === 'Denied' ? 'was denied' : 'has failed'
    throw new Error(`the certificate request ${metadata.name} ${word}: ${reason} ${message}`.trim())
  }
  const text = status?.certificate ?? ''
  return text === '' ? undefined : Buffer.from(text, 'base64').toString()
}
