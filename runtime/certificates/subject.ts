import type { X509Certificate } from 'node:crypto'

/** Whom a certificate is about. */
export interface Subject {
  /** The last one, if there are several; empty if there is none. */
  readonly commonName: string
  readonly organizations: readonly string[]
}

/** The subject of a certificate, whose values are as they stand in it: any characters. */
export function subjectOf(certificate: X509Certificate): Subject {
  const { CN, O: organizations } = certificate.toLegacyObject().subject as unknown as Readonly<
    Record<string, string | readonly string[] | undefined>
  >
  return { commonName: valuesOf(CN).at(-1) ?? '', organizations: valuesOf(organizations) }
}

function valuesOf(value: string | readonly string[] | undefined): readonly string[] {
  return value === undefined ? [] : typeof value === 'string' ? [value] : value
}
