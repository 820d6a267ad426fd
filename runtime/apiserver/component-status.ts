import { errorText } from '../kernel/errors/error-text.ts'
import type { ListComputed } from '../registry/registry.ts'

/** A part of the control plane that this process can look at. */
export interface Component {
  readonly name: string
  /** Rejects, or throws, if it is not healthy; the message says why. */
  readonly check: () => void | Promise<void>
}

/**
 * The health of some components, checked anew at each read (supplement I-28). They are checked at
 * the same time. A check that fails is a condition, never an error of the request.
 */
export function componentHealth(components: readonly Component[]): ListComputed {
  return () => Promise.all(components.map(healthOf))
}

/** The object of a component: its name and one condition. */
async function healthOf({ name, check }: Component) {
  return { metadata: { name }, conditions: [{ type: 'Healthy', ...(await verdictOf(check)) }] }
}

/** The condition `Healthy`, with the reason where it is False. */
async function verdictOf(check: Component['check']) {
  try {
    await check()
    return { status: 'True', message: 'ok' }
  } catch (error) {
    return { status: 'False', error: errorText(error) }
  }
}
