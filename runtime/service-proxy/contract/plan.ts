/** Where services are to be reached, and where that leads. */

/** A protocol of ports. */
export type Protocol = 'TCP' | 'UDP' | 'SCTP'

/** A port at which a pod listens. */
export interface Backend {
  readonly address: string
  readonly port: number
}

/** An address and port of a service, and what is behind it. */
export interface Frontend {
  /** `namespace/service:port`. */
  readonly name: string
  readonly protocol: Protocol
  /** Empty for a port of the node, at each address that node ports have. */
  readonly address: string
  readonly port: number
  readonly backends: readonly Backend[]
  /** For so long a client comes to the same backend again; 0 for any. */
  readonly affinitySeconds: number
  /** What becomes of clients where there is no backend: they are refused, or hear nothing because other nodes have one. */
  readonly whenEmpty: 'refuse' | 'drop'
  /** Ranges of those who may come; empty for everyone. */
  readonly sources: readonly string[]
  /** Whether backends have to see the address of the client. */
  readonly keepsSource: boolean
  /** Whether clients are outside of the cluster. */
  readonly isExternal: boolean
}

/** A port of the node that says whether it has backends of a service. */
export interface HealthPort {
  readonly namespace: string
  readonly name: string
  readonly port: number
  readonly localBackends: number
}

/** Everything a node leads. */
export interface ServicePlan {
  readonly frontends: readonly Frontend[]
  readonly healthPorts: readonly HealthPort[]
}

/** What tells frontends apart: no two of a plan have it in common. */
export function frontendKey({ protocol, address, port }: Frontend): string {
  return `${protocol} ${address} ${port}`
}
