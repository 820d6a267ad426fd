/** Requests for certificates, and the root certificate of samples. */
import { der } from './authority.ts'

export { certificateRequest, rootCertificate } from '../../tools/compare/samples/certificates.ts'

const organization = der(0x06, Buffer.from([0x55, 0x04, 0x0a]))

/** An organization as a name has it: as UTF-8 unless it is given as DER. */
export function organizationIs(value: string | Buffer): Buffer {
  const text = typeof value === 'string' ? der(0x0c, Buffer.from(value)) : value
  return der(0x30, organization, text)
}

/** A request of a subject, in PEM form: as much of it as its subject, which is given as the parts of its name. */
export function requestOf(...names: readonly Buffer[]): string {
  const subject = der(0x30, ...names.map((name) => der(0x31, name)))
  const content = der(0x30, der(0x30, der(0x02, Buffer.from([0])), subject)).toString('base64')
  return `-----BEGIN CERTIFICATE REQUEST-----\n${content}\n-----END CERTIFICATE REQUEST-----\n`
}
