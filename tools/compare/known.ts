/** Differences from the reference that are meant, each with the decision that says why. */
export interface KnownDifference {
  /** Matches the signature of the difference. */
  readonly signature: RegExp
  /** The decision of DECISIONS.md, or the statement of the specification. */
  readonly because: string
}

/** Differences that are meant, each with the decision that says why. */
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
    because: 'decision 76: 1.0 is an integer in every message',
  },
  {
    signature: /invalid data, expected int, got float64/,
    because: 'decision 76: 1.0 is an integer in every message',
  },
  {
    signature:
      /^(Job|PersistentVolumeClaim)\.v1\S* \| .* \| metadata\.resourceVersion \| ours "\.\." \| reference "\.\."$/,
    because: 'decision 93: a write that changes nothing is none',
  },
  {
    signature: /^ResourceQuota\.v1\. \| .*(status\.hard|the object has been modified)/,
    because: 'decision 93: the controller of quotas runs in the server',
  },
  {
    signature: /^Pod\.v1\. \| .*status \| status\..*(resize|allocatedResources) \| ours absent/,
    because: 'decision 93: a status has no fields of disabled gates',
  },
  {
    signature: /^ReplicationController\.v1\. \| .* \| header warning/,
    because: 'decision 72: an update is warned of its new template',
  },
  { signature: /^\/version \|/, because: 'a server names its own build' },
  {
    signature: /^\/openapi.* \| info\.(version|title) \|/,
    because: 'a server names its own build',
  },
  { signature: /^\/ \| GET \| paths\[/, because: 'decision 68: what is served here is listed' },
  {
    signature:
      /^\/openapi.*\.(minimum|maximum|minLength|maxLength|minItems|maxItems|pattern|default|x-kubernetes-validations)(\[\*\])? \| ours .* \| reference (absent|.*)$/,
    because: 'decision 68: bounds, rules and defaults are published',
  },
  {
    signature: /^\/openapi\/v3.*\.(\$ref \| ours absent|allOf \| ours \[\*\] \| reference absent)/,
    because: 'decision 68: a described reference stands in an allOf',
  },
  {
    signature: /^\/openapi\/v2.*\.schemes \| ours absent/,
    because: 'decision 68: plain HTTP is spoken here',
  },
  {
    signature:
      /^(\/|Pod|Node|Service|ServiceAccount)\S*.* \| (.*\.)?(resources|subresources|paths|definitions|components\.schemas)\S*((pods|nodes|services|serviceaccounts|logs|openid\S*|io\.k8s\.api\.authentication\S*)\S*|\[\*\]) \| ours absent/,
    because: 'decision 68: what is not served is not documented',
  },
  {
    signature: /\| HEAD( \w+)? \| status \| ours N +\| reference N +$/,
    because: 'objects are read with HEAD, too: HTTP demands it of every resource (W-16)',
  },
  {
    signature: /\| header allow \| ours [A-Z, ]+ \| reference $/,
    because: 'decision 68: a method that is not allowed is answered with those that are',
  },
]

/** Why a difference is meant; undefined for a new one. */
export function reasonFor(signature: string): string | undefined {
  return knownDifferences.find((known) => known.signature.test(signature))?.because
}
