import { readCertificates } from '../certificates/certificates.ts'

/** Why a text in PEM holds no certificates of authorities; undefined if it does, or is empty. */
export function certificateProblem(pem: string): string | undefined {
  if (pem === '') return undefined
  const { problems } = readCertificates(pem)
  return problems.length === 0 ? undefined : problems.join('; ')
}
