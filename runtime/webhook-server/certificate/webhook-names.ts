/** What an operator's webhook is called, in its manifests and at run time. */
export interface WebhookNames {
  readonly service: string
  /** Holds its certificate. */
  readonly secret: string
  /** The host names by which servers call it. */
  readonly hosts: readonly string[]
}

/** The names for an operator of this name and namespace: `orch package` writes the same ones. */
export function webhookNames(name: string, namespace: string): WebhookNames {
  const service = `${name}-webhook`
  const host = `${service}.${namespace}.svc`
  return { service, secret: service, hosts: [host, `${host}.cluster.local`] }
}
