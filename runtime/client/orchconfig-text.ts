/** A server, and who one is there. */
export interface OrchconfigTarget {
  readonly server: string
  /** What the cluster, the context and the user are called. */
  readonly name: string
  /** The authority of the server, in PEM. Default: those that the machine trusts. */
  readonly ca?: string
  /** A certificate of the user and its key, in PEM. Default: no credentials. */
  readonly cert?: string
  readonly key?: string
}

/**
 * The content of an orchconfig file: YAML that `kubectl --kubeconfig` reads. Plain HTTP is marked insecure, for the
 * ecosystem's JavaScript client uses it only then.
 */
export function orchconfigText({ server, name, ca, cert, key }: OrchconfigTarget): string {
  const insecure = server.startsWith('http:') ? 'insecure-skip-tls-verify: true' : ''
  const authority = data('certificate-authority-data', ca)
  const cluster = [`server: ${JSON.stringify(server)}`, insecure, authority]
  const user = [data('client-certificate-data', cert), data('client-key-data', key)]
  return [
    'apiVersion: v1',
    'kind: Config',
    `current-context: ${name}`,
    'clusters:',
    `- name: ${name}`,
    `  cluster: ${mapping(cluster)}`,
    'contexts:',
    `- name: ${name}`,
    `  context: { cluster: ${name}, user: ${name}, namespace: default }`,
    'users:',
    `- name: ${name}`,
    `  user: ${mapping(user)}`,
    '',
  ].join('\n')
}

function data(name: string, pem: string | undefined): string {
  return pem === undefined ? '' : `${name}: ${Buffer.from(pem).toString('base64')}`
}

function mapping(entries: readonly string[]): string {
  const present = entries.filter((entry) => entry !== '')
  return present.length === 0 ? '{}' : `{ ${present.join(', ')} }`
}
