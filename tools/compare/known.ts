/** Differences from the reference that are meant, each with the decision that says why. */
export interface KnownDifference {
  /** Matches the signature of the difference. */
  readonly signature: RegExp
  /** The decision of DECISIONS.md, or the statement of the specification. */
  readonly because: string
}

export const knownDifferences: readonly KnownDifference[] = [
  {
    signature: /^CertificateSigningRequest.* \| spec\.(username|uid|groups)/,
    because: 'requests of the two servers come from different users',
  },
  {
    signature: /reference (Invalid value|Required value|\{.*Invalid value): [a-z]+\.[A-Z]\w*\{/,
    because: 'a value is shown as JSON, not as the memory of the program that refuses it',
  },
  {
    signature: /^\/openapi.*(DeleteOptions|WatchEvent|Status)\.x-kubernetes-group-version-kind/,
    because: 'decision 68',
  },
  {
    signature: /must be positive: N(\b|$)/,
    because: 'decision 70: an integer is divided by the factor, not by its whole part',
  },
  {
    signature: /ours .*in body must be of type .*: "(\.\.|integer)".*reference .*: "(\.\.|number)"/,
    because: 'decision 83: 1.0 is an integer in every message',
  },
  { signature: /^\/version \|/, because: 'a server names its own build' },
]

/** Why a difference is meant; undefined for a new one. */
export function reasonFor(signature: string): string | undefined {
  return knownDifferences.find((known) => known.signature.test(signature))?.because
}
