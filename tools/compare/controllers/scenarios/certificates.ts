/** Requests for certificates: who approves them, who signs them, and what is told of those that cannot be signed. */
import { webcrypto } from 'node:crypto'
// The decorators of the certificate library need it first.
import 'reflect-metadata'
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509'
import type { Any, Cluster } from '../cluster.ts'
import type { ControllerScenarios } from './shapes.ts'

const requests = 'certificates.k8s.io/v1/certificatesigningrequests'
const nodeSubject = 'O=system:nodes,CN=system:node:a'
const clientUsages = ['digital signature', 'client auth']
const nodeClients = 'kubernetes.io/kube-apiserver-client-kubelet'

export const certificates: ControllerScenarios = {
  's-csr-node': async (c) => {
    await ask(c, 's-csr-node', nodeClients, nodeSubject, clientUsages)
    await c.has(requests, 's-csr-node', isSigned)
  },
  's-csr-other': async (c) => {
    await ask(c, 's-csr-other', nodeClients, 'CN=somebody', clientUsages)
    await approve(c, 's-csr-other')
    await c.has(requests, 's-csr-other', hasFailed)
  },
  's-csr-client': async (c) => {
    const spec = { expirationSeconds: 3600 }
    await ask(c, 's-csr-client', 'kubernetes.io/kube-apiserver-client', 'CN=jo', clientUsages, spec)
    await approve(c, 's-csr-client')
    await c.has(requests, 's-csr-client', isSigned)
  },
  's-csr-serving': async (c) => {
    const usages = ['digital signature', 'server auth']
    await ask(c, 's-csr-serving', 'kubernetes.io/kubelet-serving', nodeSubject, usages)
    await approve(c, 's-csr-serving')
    await c.has(requests, 's-csr-serving', hasFailed)
  },
  's-csr-denied': async (c) => {
    await ask(c, 's-csr-denied', 'kubernetes.io/kube-apiserver-client', 'CN=jo', clientUsages)
    await decide(c, 's-csr-denied', 'Denied')
  },
  's-csr-foreign': async (c) => {
    await ask(c, 's-csr-foreign', 'example.com/own', 'CN=jo', clientUsages)
    await approve(c, 's-csr-foreign')
  },
}

/** Requests a certificate of a signer for a subject such as `O=system:nodes,CN=system:node:a`. */
async function ask(
  c: Cluster,
  name: string,
  signerName: string,
  subject: string,
  usages: readonly string[],
  spec: object = {},
): Promise<void> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const made = await Pkcs10CertificateRequestGenerator.create(
    { name: subject, keys: keys as never, signingAlgorithm: algorithm },
    webcrypto as never,
  )
  const request = Buffer.from(made.toString('pem')).toString('base64')
  await c.create(requests, { metadata: { name }, spec: { request, signerName, usages, ...spec } })
}

function approve(c: Cluster, name: string): Promise<void> {
  return decide(c, name, 'Approved')
}

async function decide(c: Cluster, name: string, type: 'Approved' | 'Denied'): Promise<void> {
  const found = await c.get(requests, name)
  const condition = { type, status: 'True', reason: 'Said', message: 'as the scenario says' }
  await c.update(requests, `${name}/approval`, { ...found, status: { conditions: [condition] } })
}

function isSigned({ status }: Any): boolean {
  return status?.certificate !== undefined
}

function hasFailed({ status }: Any): boolean {
  return status?.conditions?.some(({ type }: { type: string }) => type === 'Failed') === true
}
