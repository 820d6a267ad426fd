import type { ListComputed } from '../registry/registry.ts'

/** A part of the control plane that this process can look at. */
export interface Component {
  readonly name: string
  /** Fails if it is not well. */
  readonly check: () => void | Promise<void>
}

/** The health of some components, found out anew by whoever reads it (supplement I-28). */
export function componentHealth(components: readonly Component[]): ListComputed {
  return () => Promise.all(components.map(healthOf))
}

async function healthOf({ name, check }: Component) {
  return { metadata: { name }, conditions: [{ type: 'Healthy', ...(await verdictOf(check)) }] }
}

async function verdictOf(check: Component['check']) {
  try {
    await check()
    return { status: 'True', message: 'ok' }
  } catch (error) {
    return { status: 'False', error: error instanceof Error ? error.message : String(error) }
  }
}
