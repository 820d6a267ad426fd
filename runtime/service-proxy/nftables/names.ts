import { createHash } from 'node:crypto'
import type { Backend, Frontend } from '../contract/plan.ts'
import { frontendKey } from '../contract/plan.ts'

/** The name of the chain of a frontend. */
export function serviceChain(frontend: Frontend): string {
  return `service-${hashOf(frontendKey(frontend))}`
}

/** The name of the chain of a backend of it. */
export function backendChain(frontend: Frontend, { address, port }: Backend): string {
  return `backend-${hashOf(`${frontendKey(frontend)} ${address} ${port}`)}`
}

/** The name of the set of clients that came to a backend. */
export function clientSet(frontend: Frontend, { address, port }: Backend): string {
  const { affinitySeconds } = frontend
  return `clients-${hashOf(`${frontendKey(frontend)} ${address} ${port} ${affinitySeconds}`)}`
}

/** Names stay as they are while what they stand for does: a set of clients outlives a change of other services. */
function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
