/** One server that is reached without credentials. */
export interface OrchconfigTarget {
  readonly server: string
  /** What the cluster, the context and the user are called. */
  readonly name: string
}

/**
 * The content of an orchconfig file: YAML that `kubectl --kubeconfig` reads. Plain HTTP is marked insecure, for the
 * ecosystem's JavaScript client uses it only then.
 */
export function orchconfigText({ server, name }: OrchconfigTarget): string {
  const insecure = server.startsWith('http:') ? ', insecure-skip-tls-verify: true' : ''
  return [
    'apiVersion: v1',
    'kind: Config',
    `current-context: ${name}`,
    'clusters:',
    `- name: ${name}`,
    `  cluster: { server: ${JSON.stringify(server)}${insecure} }`,
    'contexts:',
    `- name: ${name}`,
    `  context: { cluster: ${name}, user: ${name}, namespace: default }`,
    'users:',
    `- name: ${name}`,
    '  user: {}',
    '',
  ].join('\n')
}
