import { conditionOf, defineController, done, type Stored, writing } from 'orch'
import { type Service, services } from 'orch/generated/apis/core/v1/service'
import { type Certificate, certificates } from './generated/apis/cert-manager.io/v1/certificate.ts'

/** Names the issuer that signs for a Service: who writes it asks for a certificate. */
export const issuerKey = 'certificates.example.com/issuer'
/** Until when the certificate of a Service holds: the controller writes it. */
export const untilKey = 'certificates.example.com/valid-until'

/** The certificate that a Service asks for, by the names under which it is called. */
export function certificateSpec(service: Stored<Service>, issuer: string): Certificate['spec'] {
  const { name, namespace } = service.metadata
  return {
    secretName: `${name}-tls`,
    dnsNames: [`${name}.${namespace}.svc`, `${name}.${namespace}.svc.cluster.local`],
    issuerRef: { name: issuer, kind: 'Issuer' },
  }
}

/**
 * Certificates for Services that ask for one. Certificate is a kind of cert-manager: its type comes from `orch import`.
 *
 *   reads    Service, Certificate
 *   writes   Certificate; one annotation of the Service
 *   wakes    when a Service changes, or its Certificate
 *   settles  when the Service says until when its certificate holds
 */
export const certificateController = defineController({
  name: 'certificate',
  for: services,
  owns: [certificates],
  writes: [writing(services, [`metadata.annotations[${untilKey}]`])],

  async reconcile(service, { client, ensure, owned }) {
    const { name, annotations = {} } = service.metadata
    const issuer = annotations[issuerKey]
    if (issuer === undefined) {
      for (const left of owned(certificates)) await client.resource(certificates).delete(left)
      return done
    }
    const spec = certificateSpec(service, issuer)
    const { status } = await ensure(certificates, { metadata: { name }, spec })
    const isReady = conditionOf(status?.conditions, 'Ready')?.status === 'True'
    const until = isReady ? status?.notAfter : undefined
    if (annotations[untilKey] === until) return done
    const patch = { metadata: { annotations: { [untilKey]: until ?? null } } }
    await client.resource(services).mergePatch(service.metadata, patch)
    return done
  },
})
