import type { CertificateSigningRequest } from '../../../../generated/apis/certificates/v1.ts'

/** True if a request has a condition, whatever its status: approvals, denials and failures are facts. */
export function hasCondition(
  { status }: Pick<CertificateSigningRequest, 'status'>,
  type: string,
): boolean {
  return status?.conditions?.some((one) => one.type === type) === true
}

/** The request itself, in PEM. */
export function requestText({ spec }: Pick<CertificateSigningRequest, 'spec'>): string {
  return Buffer.from(spec.request, 'base64').toString('latin1')
}
