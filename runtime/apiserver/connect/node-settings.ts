/** How the server reaches the agents of nodes. */
export interface NodeAccess {
  /** Who vouches for the certificates of agents, in PEM. Default: they are not checked. */
  readonly authorities?: string
  /** The certificate by which agents know the server, with its key, in PEM. */
  readonly certificate?: { readonly cert: string; readonly key: string }
  /** The types of addresses of nodes, the preferred first. Default: as the flag. */
  readonly addressTypes?: readonly string[]
  /** Where all nodes are reached, in place of their addresses: for nodes that run on the server's machine. */
  readonly host?: string
  /** Milliseconds that an agent has to accept a connection. Default 5 seconds. */
  readonly connectMs?: number
}

/** The types of addresses in their usual order. */
export const usualAddressTypes: readonly string[] = [
  'Hostname',
  'InternalDNS',
  'InternalIP',
  'ExternalDNS',
  'ExternalIP',
]
